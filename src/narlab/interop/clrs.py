"""What dm-clrs gives, made by narlab: `from narlab.interop import clrs` in place of `import clrs`.

`build_sampler` and `create_dataset` give the same `Feedback`s: names, shapes, dtypes, padding. With a number of samples
a sampler holds dm-clrs's own arrays for its seed, bit for bit, and draws its own batches. Without an end
(`num_samples=-1`) its samples are of the same distribution, but from narlab's fast stream. All other names of this
module are those of dm-clrs itself: models, `evaluate`, `process_random_pos`, ...
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from narlab import algorithms, data
from narlab.algorithms.engine import Algorithm
from narlab.algorithms.sampling import Official, block_size
from narlab.algorithms.sampling.graphs import Communities
from narlab.common.errors import UsageError
from narlab.data import Dataset
from narlab.data.generation import Arrays, Samples
from narlab.interop._mixed_graphs import Family
from narlab.specs import Probe

try:
    import clrs as dm_clrs
except ImportError:
    raise ImportError("narlab.interop.clrs needs dm-clrs; get it with: pip install 'narlab[oracle]'") from None

__all__ = ["Batches", "Sampler", "build_sampler", "create_dataset"]

Spec = dict[str, tuple[str, str, str]]
WITHOUT_END = 2**40  # samples
PORTION = 2**22  # bytes of samples that are brought into dm-clrs's dtypes at once
PIECE = 2**21  # bytes of samples that are made at once
FEW = 32  # samples that say how large one is
FIRST_LOOK = 1000  # samples that say how long trajectories are
TAKEN = ("length", "p", "low", "high", "length_needle")


def __getattr__(name: str) -> Any:
    return getattr(dm_clrs, name)


class Sampler:
    """Feedbacks of one algorithm; made by `build_sampler`."""

    def __init__(
        self, algorithm: Algorithm, num_samples: int, *, length: int, seed: int | None, options: dict[str, Any]
    ) -> None:
        self._form, self._num_samples = _Form(algorithm), num_samples
        seed = int(np.random.default_rng().integers(2**32)) if seed is None else seed
        self._draws = Official(seed)
        self.max_steps = 0  # batches without an end have at least so many rows of hints
        if num_samples < 0:
            dataset = data.custom(algorithm, n=length, count=WITHOUT_END, seed=seed, hints=True, **options)
            self._endless = _Endless(self._form, dataset)
        else:
            inputs = algorithm.sample_from(self._draws, length, num_samples, **options)
            done = algorithm.execute(inputs)
            self._samples = Samples(inputs, done.outputs, done.lengths, done.hints)

    def look_at_lengths(self) -> None:
        """Pad all batches to the longest trajectory so far, for programs that are compiled anew for any other."""
        self.max_steps = int(self._endless.dataset[:FIRST_LOOK].lengths.max())

    def next(self, batch_size: int | None = None) -> Any:
        """A `Feedback` of `batch_size` samples, drawn at random from all, or new ones; without a size, of all."""
        if self._num_samples < 0:
            return self._new(batch_size)
        if not batch_size:
            return self._form.feedback(self._samples)
        if batch_size > self._num_samples:
            raise ValueError(f"a batch of {batch_size} samples is more than the {self._num_samples} that there are")
        return self._form.feedback(self._samples[self._draws.choices(self._num_samples, batch_size)])

    def _new(self, batch_size: int | None) -> Any:
        if not batch_size:
            raise ValueError("a sampler without an end needs a batch size")
        feedback = self._form.feedback(self._endless.take(batch_size, self.max_steps))
        if self.max_steps:
            self.max_steps = max(self.max_steps, int(feedback.features.lengths.max()))
        return feedback


class _Endless:
    """The samples of a data set one after the other in dm-clrs's dtypes, whose batches are views of larger portions.

    They are made in pieces ahead of time. Pieces and portions are small enough for the cache and for memory that was
    used before: dm-clrs's dtypes are wide, and fresh memory is what takes time.
    """

    def __init__(self, form: "_Form", dataset: Dataset) -> None:
        self.dataset = dataset
        self._form = form
        first = _samples(dataset[:FEW])
        self._sizes = FEW * PIECE // first.nbytes, FEW * PORTION // form.widened(first).nbytes  # in samples
        self._pieces = dataset.chunks(max(1, min(self._sizes[0], block_size(dataset.description.n))))
        self._left: Samples | None = None
        self._portion, self._used = first[:0], 0

    def take(self, count: int, rows: int) -> Samples:
        """The next samples; their hints have as many rows as the longest trajectory, and at least `rows`."""
        if self._used + count > len(self._portion.lengths):
            rest = self._portion[self._used :]
            fresh = self._form.widened(self._next(count * max(1, self._sizes[1] // count)), rows)
            self._portion, self._used = _joined([rest, fresh]) if len(rest.lengths) else fresh, 0
        self._used += count
        taken = self._portion[self._used - count : self._used]
        rows = max(rows, int(taken.lengths.max()))
        hints = {name: _with_rows(array, rows, array.dtype)[:, :rows] for name, array in (taken.hints or {}).items()}
        return replace(taken, hints=hints)

    def _next(self, count: int) -> Samples:
        """So many samples as they are made."""
        parts: list[Samples] = []
        while count:
            piece = _samples(next(self._pieces)) if self._left is None else self._left
            parts.append(piece[:count])
            self._left = piece[count:] if len(piece.lengths) > count else None
            count -= len(parts[-1].lengths)
        return _joined(parts) if len(parts) > 1 else parts[0]


def _samples(dataset: Dataset) -> Samples:
    return Samples(dataset.inputs, dataset.outputs, dataset.lengths, dataset.hints)


def _joined(parts: list[Samples]) -> Samples:
    hints = [part.hints or {} for part in parts]
    longest = max(rows.shape[1] for part in hints for rows in part.values())

    def together(stages: list[Arrays]) -> Arrays:
        return {name: np.concatenate([stage[name] for stage in stages]) for name in stages[0]}

    return Samples(
        together([part.inputs for part in parts]),
        together([part.outputs for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        together([{name: _with_rows(array, longest, array.dtype) for name, array in part.items()} for part in hints]),
    )


def build_sampler(
    name: str,
    num_samples: int,
    *args: Any,
    seed: int | None = None,
    track_max_steps: bool = True,
    truncate_decimals: int | None = None,
    **kwargs: Any,
) -> tuple[Sampler, Spec]:
    """A sampler and the spec of its probes, as dm-clrs's `build_sampler`.

    `length` is the size of the instances; of dm-clrs's other options `p`, `low`, `high` and `length_needle` are taken
    where they have a meaning, and looked over where they have none, as dm-clrs does.
    """
    algorithm = algorithms.get(name)
    if truncate_decimals is not None:
        raise UsageError(f"narlab truncates no inputs: leave truncate_decimals={truncate_decimals} out")
    given = {**dict(zip(TAKEN, args, strict=False)), **kwargs}
    for option in given:
        if option not in TAKEN:
            raise UsageError(f"narlab.interop.clrs does not take {option!r}; it takes: {', '.join(TAKEN)}")
    if "length" not in given:
        raise UsageError("missing: length, the size of the instances")
    options, length = _options(algorithm, given), int(given["length"])
    sampler = Sampler(algorithm, num_samples, length=length, seed=seed, options=options)
    if num_samples < 0 and track_max_steps:
        sampler.look_at_lengths()
    return sampler, _spec(algorithm)


def _options(algorithm: Algorithm, given: dict[str, Any]) -> dict[str, Any]:
    """dm-clrs's options as those of narlab."""
    options: dict[str, Any] = {}
    if "graphs" in algorithm.options and given.get("p") is not None:
        of_algorithm = getattr(algorithm.sampler, "graphs", None)
        options["graphs"] = Family(tuple(map(float, given["p"])), isinstance(of_algorithm, Communities))
    if "low" in given or "high" in given:
        if "weights" not in algorithm.options:
            raise UsageError(f"narlab draws the inputs of {algorithm.name} from one range: leave low and high out")
        options["weights"] = (given.get("low", 0.0), given.get("high", 1.0))
    if "needle" in algorithm.options and given.get("length_needle") is not None:
        options["needle"] = given["length_needle"]
    return options


def create_dataset(folder: str, algorithm: str, split: str, batch_size: int) -> tuple["Batches", int, Spec]:
    """Batches of a split of the benchmark, the number of its samples, the spec; nothing is read from `folder`.

    They hold the samples in their order, which TensorFlow's files don't, and begin anew in the midst of a batch.
    """
    chosen = algorithms.get(algorithm)
    dataset = data.load("clrs", algorithm, split, hints=True)
    return Batches(chosen, dataset, batch_size), len(dataset), _spec(chosen)


class Batches:
    """A split again and again, batch by batch: an iterable of `Feedback`s, also as `as_numpy_iterator()`."""

    def __init__(self, algorithm: Algorithm, dataset: Dataset, batch_size: int) -> None:
        self._algorithm, self._dataset, self._batch_size = algorithm, dataset, batch_size

    def __iter__(self) -> Iterator[Any]:
        split = self._dataset
        form, samples = _Form(self._algorithm), _samples(split)
        start = 0
        while True:
            index = np.arange(start, start + self._batch_size) % len(split)
            start = (start + self._batch_size) % len(split)
            feedback = form.feedback(samples[index])
            features = feedback.features
            yield dm_clrs.Feedback(
                dm_clrs.Features(tuple(features.inputs), tuple(features.hints), features.lengths),
                tuple(feedback.outputs),
            )

    def as_numpy_iterator(self) -> Iterator[Any]:
        """The same, as TensorFlow's data sets call it."""
        return iter(self)


def _spec(algorithm: Algorithm) -> Spec:
    return {probe.name: (str(probe.stage), str(probe.location), _type(probe)) for probe in algorithm.probes}


def _type(probe: Probe) -> str:
    return "should_be_permutation" if probe.permutation else str(probe.type)


@dataclass(frozen=True)
class _Facts:
    """What dm-clrs says of a probe."""

    name: str
    location: str
    type_: str
    dtype: str


class _Form:
    """How dm-clrs tells the samples of an algorithm."""

    def __init__(self, algorithm: Algorithm) -> None:
        def facts(probes: tuple[Probe, ...]) -> list[_Facts]:
            return [_Facts(probe.name, str(probe.location), _type(probe), probe.benchmark_dtype) for probe in probes]

        self.inputs, self.outputs, self.hints = map(facts, (algorithm.inputs, algorithm.outputs, algorithm.hints))

    def widened(self, samples: Samples, rows: int = 0) -> Samples:
        """Samples in dm-clrs's dtypes, with at least so many rows of hints."""

        def wide(facts: list[_Facts], arrays: Arrays) -> Arrays:
            return {of.name: arrays[of.name].astype(of.dtype, copy=False) for of in facts}

        recorded = samples.hints or {}
        hints = {of.name: _with_rows(recorded[of.name], rows, of.dtype) for of in self.hints}
        return Samples(wide(self.inputs, samples.inputs), wide(self.outputs, samples.outputs), samples.lengths, hints)

    def feedback(self, samples: Samples) -> Any:
        """A `Feedback` of lists, its hints [T, B, ...]."""
        wide = self.widened(samples)
        hints = {name: rows.swapaxes(0, 1) for name, rows in (wide.hints or {}).items()}
        lengths = wide.lengths.astype(np.float64)
        features = dm_clrs.Features(_points(self.inputs, wide.inputs), _points(self.hints, hints), lengths)
        return dm_clrs.Feedback(features, _points(self.outputs, wide.outputs))


def _points(facts: list[_Facts], arrays: Arrays) -> list[Any]:
    return [dm_clrs.DataPoint(name=of.name, location=of.location, type_=of.type_, data=arrays[of.name]) for of in facts]


def _with_rows(rows: np.ndarray, count: int, dtype: str | np.dtype) -> np.ndarray:
    """[B, T, ...] with zeros behind, where T is less than `count`."""
    if rows.shape[1] >= count:
        return rows.astype(dtype, copy=False)
    longer = np.empty((len(rows), count, *rows.shape[2:]), dtype)
    longer[:, : rows.shape[1]], longer[:, rows.shape[1] :] = rows, 0
    return longer
