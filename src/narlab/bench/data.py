"""How fast data is made, here and by dm-clrs where it is installed, and how fast answers are judged."""

import importlib.util
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp, log, prod
from time import perf_counter

import numpy as np

from narlab import algorithms
from narlab.algorithms.sampling import block_size
from narlab.data import Dataset, Description
from narlab.specs import Type

SIZES = (16, 64)
HINT_BYTES = 2**23  # in a piece of the stream: little enough to stay in the cache
PIECES = 16  # in a run
PEER_SECONDS = 0.25  # how long dm-clrs is measured, at least


@dataclass(frozen=True)
class Rate:
    """Samples per second of one algorithm at one size; dm-clrs always makes hints."""

    algorithm: str
    n: int
    with_hints: float
    without_hints: float
    dm_clrs: float | None

    @property
    def ratio(self) -> float | None:
        """With hints, against dm-clrs in the same run."""
        return self.with_hints / self.dm_clrs if self.dm_clrs else None


def rates(names: tuple[str, ...], sizes: tuple[int, ...] = SIZES, repeats: int = 5) -> Iterator[Rate]:
    """Measure each algorithm at each size, best of `repeats`."""
    for n in sizes:
        for name in names:
            algorithms.get(name).compile()
            yield Rate(
                name,
                n,
                with_hints=_narlab(name, n, repeats, hints=True),
                without_hints=_narlab(name, n, repeats, hints=False),
                dm_clrs=_dm_clrs(name, n, repeats) if has_dm_clrs() else None,
            )


@dataclass(frozen=True)
class JudgingRate:
    """Instances per second whose answers `valid` judges, of one algorithm at one size, checks included.

    `right` are the benchmark's answers, `wrong` those to other instances: a judge may take longer over a wrong one.
    """

    algorithm: str
    n: int
    right: float
    wrong: float

    @property
    def slower(self) -> float:
        return min(self.right, self.wrong)


def judging_rates(names: tuple[str, ...], sizes: tuple[int, ...] = SIZES, repeats: int = 5) -> Iterator[JudgingRate]:
    """Measure `valid` of each algorithm at each size, best of `repeats`."""
    for n in sizes:
        for name in names:
            made = Dataset(Description("custom", name, "custom", n=n, count=PIECES * block_size(n), seed=0))
            right, wrong = _judging(made, made.outputs, repeats), _judging(made, _answers_to_others(made), repeats)
            yield JudgingRate(name, n, right, wrong)


def _judging(made: Dataset, outputs: dict[str, np.ndarray], repeats: int) -> float:
    algorithm, inputs = algorithms.get(made.algorithm), made.inputs
    algorithm.valid(inputs, outputs)  # compiles
    return len(made) / _best(lambda seed: algorithm.valid(inputs, outputs), repeats)


def _answers_to_others(made: Dataset) -> dict[str, np.ndarray]:
    """The answers to the instances before; what is masked differs from graph to graph, so that masks get 0 instead."""
    probes = algorithms.get(made.algorithm).outputs
    moved = {probe: np.roll(made.outputs[probe.name], 1, axis=0) for probe in probes}
    return {probe.name: np.maximum(array, 0) if probe.type is Type.MASK else array for probe, array in moved.items()}


def geometric_mean(values: list[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


def has_dm_clrs() -> bool:
    """Whether dm-clrs is installed."""
    return importlib.util.find_spec("clrs") is not None


def _narlab(name: str, n: int, repeats: int, *, hints: bool) -> float:
    size = block_size(n)
    if hints:
        algorithm = algorithms.get(name)
        pilot = Dataset(Description("custom", name, "custom", n=n, count=32, seed=0))
        nodes = pilot.inputs["pos"].shape[1]
        row = sum(prod(probe.shape(nodes)) * np.dtype(probe.dtype).itemsize for probe in algorithm.hints)
        size = max(1, min(size, HINT_BYTES // int(row * pilot.lengths.max())))
    count = PIECES * size

    def make(seed: int) -> None:
        made = Dataset(Description("custom", name, "custom", n=n, count=count, seed=seed), hints=hints)
        assert sum(len(piece) for piece in made.chunks(size)) == count

    return count / _best(make, repeats)


def _dm_clrs(name: str, n: int, repeats: int) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import clrs

    def make(count: int) -> Callable[[int], None]:
        return lambda seed: clrs.build_sampler(name, num_samples=count, length=n, seed=seed)

    pilot = _best(make(2), 1) / 2
    count = max(4, min(200, int(PEER_SECONDS / pilot)))
    return count / _best(make(count), min(repeats, 3))


def _best(make: Callable[[int], object], repeats: int) -> float:
    """Seconds of the best of `repeats` calls, each with another seed."""
    seconds = []
    for seed in range(1, repeats + 1):
        start = perf_counter()
        make(seed)
        seconds.append(perf_counter() - start)
    return min(seconds)
