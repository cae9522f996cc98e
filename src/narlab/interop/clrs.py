"""What dm-clrs gives, made by narlab: `from narlab.interop import clrs` in place of `import clrs`.

`build_sampler` and `create_dataset` give the same `Feedback`s: names, shapes, dtypes, padding. With a number of samples
a sampler holds dm-clrs's own arrays for its seed, bit for bit, and draws its own batches. Without an end
(`num_samples=-1`) its samples are of the same distribution, but from narlab's fast stream. All other names of this
module are those of dm-clrs itself: models, `evaluate`, `process_random_pos`, ...
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from narlab import algorithms, data
from narlab.algorithms.engine import Algorithm
from narlab.algorithms.sampling import Official
from narlab.algorithms.sampling.graphs import Communities
from narlab.common.errors import UsageError
from narlab.data import Dataset
from narlab.data.generation import Samples
from narlab.interop._mixed_graphs import Family

try:
    import clrs as dm_clrs

    from narlab.interop._endless import Endless
    from narlab.interop._feedback import Form, Spec
except ImportError:
    raise ImportError("narlab.interop.clrs needs dm-clrs; get it with: pip install 'narlab[oracle]'") from None

__all__ = ["Batches", "Sampler", "build_sampler", "create_dataset"]

WITHOUT_END = 2**40  # samples
FIRST_LOOK = 1000  # samples that say how long trajectories are
TAKEN = ("length", "p", "low", "high", "length_needle")


def __getattr__(name: str) -> Any:
    return getattr(dm_clrs, name)


class Sampler:
    """Feedbacks of one algorithm; made by `build_sampler`."""

    def __init__(
        self, algorithm: Algorithm, num_samples: int, *, length: int, seed: int | None, options: dict[str, Any]
    ) -> None:
        self._form, self._num_samples = Form(algorithm), num_samples
        seed = int(np.random.default_rng().integers(2**32)) if seed is None else seed
        self._draws = Official(seed)
        self.max_steps = 0  # batches without an end have at least so many rows of hints
        if num_samples < 0:
            dataset = data.custom(algorithm, n=length, count=WITHOUT_END, seed=seed, hints=True, **options)
            self._endless = Endless(algorithm, dataset.description, self._form)
        else:
            inputs = algorithm.sample_from(self._draws, length, num_samples, **options)
            done = algorithm.execute(inputs)
            self._samples = Samples(inputs, done.outputs, done.lengths, done.hints)

    def look_at_lengths(self) -> None:
        """Pad all batches to the longest trajectory so far, for programs that are compiled anew for any other."""
        self.max_steps = self._endless.longest(FIRST_LOOK)

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
        feedback = self._endless.next(batch_size, self.max_steps)
        if self.max_steps:
            self.max_steps = len(feedback.features.hints[0].data)
        return feedback


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
    return sampler, Form(algorithm).spec


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
    return Batches(chosen, dataset, batch_size), len(dataset), Form(chosen).spec


class Batches:
    """A split again and again, batch by batch: an iterable of `Feedback`s, also as `as_numpy_iterator()`."""

    def __init__(self, algorithm: Algorithm, dataset: Dataset, batch_size: int) -> None:
        self._algorithm, self._dataset, self._batch_size = algorithm, dataset, batch_size

    def __iter__(self) -> Iterator[Any]:
        split = self._dataset
        form, samples = Form(self._algorithm), Samples(split.inputs, split.outputs, split.lengths, split.hints)
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
