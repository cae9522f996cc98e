"""How fast data is made, here and by dm-clrs where it is installed, and how fast answers are judged."""

import importlib.util
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp, log, prod
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np

from narlab import algorithms
from narlab.algorithms.sampling import block_size
from narlab.bench.machine_load import LoadMeter
from narlab.data import Dataset, Description
from narlab.specs import Type

SIZES = (16, 64)
BATCH_SIZES = (16,)  # dm-clrs takes hours over larger ones
HINT_BYTES = 2**23  # in a piece of the stream: little enough to stay in the cache
PIECES = 16  # in a run
PEER_SECONDS = 0.25  # how long dm-clrs is measured, at least
BATCH = 32  # samples
WARM_UP_SECONDS = 0.05  # after which a sampler lives on what it makes, not on what it has made ahead


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


class Speed(NamedTuple):
    """Samples per second, and per second of one core."""

    per_second: float
    per_core: float


@dataclass(frozen=True)
class BatchRate:
    """How fast one algorithm's batches with hints are made at one size, by two samplers without an end.

    `others` are the cores that other processes used meanwhile, where the system tells.
    """

    algorithm: str
    n: int
    narlab: Speed
    dm_clrs: Speed
    others: float | None

    @property
    def ratio(self) -> float:
        """By the clock: narlab uses all cores, dm-clrs has no way to use more than one."""
        return self.narlab.per_second / self.dm_clrs.per_second

    @property
    def ratio_per_core(self) -> float:
        """Which hangs less on what else the cores are used for."""
        return self.narlab.per_core / self.dm_clrs.per_core


def batch_rates(
    build_sampler: Callable[..., Any], names: tuple[str, ...], sizes: tuple[int, ...] = BATCH_SIZES, repeats: int = 5
) -> Iterator[BatchRate]:
    """Measure batches of `build_sampler`, which stands in for dm-clrs's, and of dm-clrs's in turns, best of `repeats`.

    Both are called as dm-clrs's own scripts call theirs: they look at 1,000 samples first, which is not measured.
    """
    builders = (build_sampler, _dm_clrs_module().build_sampler)
    for n in sizes:
        for name in names:
            samplers = [build(name, num_samples=-1, length=n, seed=1)[0] for build in builders]
            meter = LoadMeter()
            rounds = [[_speed(sampler) for sampler in samplers] for _ in range(repeats)]
            ours, theirs = (Speed(*map(max, zip(*speeds, strict=True))) for speeds in zip(*rounds, strict=True))
            yield BatchRate(name, n, ours, theirs, meter.others())


def _speed(sampler: Any) -> Speed:
    _take_batches(sampler, WARM_UP_SECONDS)
    start, worked = perf_counter(), process_time()
    count = BATCH * _take_batches(sampler, PEER_SECONDS)
    return Speed(count / (perf_counter() - start), count / (process_time() - worked))


def _take_batches(sampler: Any, seconds: float) -> int:
    """How many batches come in so many seconds, at least one."""
    end, count = perf_counter() + seconds, 0
    while count == 0 or perf_counter() < end:
        sampler.next(BATCH)
        count += 1
    return count


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


def _dm_clrs_module() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its libraries, about each other
        import clrs
    return clrs


def _dm_clrs(name: str, n: int, repeats: int) -> float:
    clrs = _dm_clrs_module()

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
