"""Samples of a recipe, block by block on all cores."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import ModuleType

import numpy as np

from narlab import algorithms
from narlab.algorithms.engine import Algorithm
from narlab.algorithms.sampling.draws import block_size, blocks
from narlab.data import datasets, graphs
from narlab.data.recipe import Recipe

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Samples:
    """Arrays [count, ...] by probe name; hints only where they were asked for."""

    inputs: Arrays
    outputs: Arrays
    lengths: np.ndarray
    hints: Arrays | None = None
    marks: Arrays = field(default_factory=dict)

    def __getitem__(self, key: slice | np.ndarray | list[int]) -> "Samples":
        def take(arrays: Arrays) -> Arrays:
            return {name: array[key] for name, array in arrays.items()}

        hints = None if self.hints is None else take(self.hints)
        return Samples(take(self.inputs), take(self.outputs), self.lengths[key], hints, take(self.marks))


def options(recipe: Recipe) -> dict:
    """The recipe's options for the algorithm's sampler."""
    chosen: dict = {}
    if (own := getattr(_named(recipe), "GRAPHS", None)) is not None:
        chosen["graphs"] = own
    if recipe.graphs is not None:
        chosen["graphs"] = graphs.parse(recipe.graphs)
    if recipe.weights is not None:
        chosen["weights"] = recipe.weights
    return chosen


def _named(recipe: Recipe) -> ModuleType | None:
    return datasets.get(recipe.dataset) if recipe.dataset in datasets.names() else None


def marks(recipe: Recipe, start: int, stop: int) -> Arrays:
    """What the named data set says of its samples beyond the probes."""
    made = getattr(_named(recipe), "marks", None)
    return made(recipe, start, stop) if made else {}


def official(recipe: Recipe) -> Samples:
    """The whole split in the benchmark's dtypes."""
    algorithm = algorithms.get(recipe.algorithm)
    inputs = algorithm.sample(recipe.n, recipe.count, seed=recipe.seed, **options(recipe))
    done = algorithm.execute(inputs, hints=False)
    outputs = {probe.name: done.outputs[probe.name].astype(probe.benchmark_dtype) for probe in algorithm.outputs}
    return Samples(inputs, outputs, done.lengths)


def fast(recipe: Recipe, start: int, stop: int, threads: int | None = None) -> Samples:
    """Samples `start` to `stop`; the same for any range, order and number of threads."""
    algorithm = algorithms.get(recipe.algorithm)
    algorithm.compile()
    chosen = options(recipe)
    size = block_size(recipe.n)

    def generate(block: int) -> Samples:
        inputs = algorithm.sample_block(recipe.n, block, seed=recipe.seed, **chosen)
        return Samples(inputs, *algorithm.execute_block(inputs))

    parts = list(blocks(start, stop, size))
    if not parts:
        return generate(0)[:0]
    if len(parts) == 1:
        block, first, end = parts[0]
        return generate(block)[first:end]
    return _gather(algorithm, generate, parts, threads or len(os.sched_getaffinity(0)))


def _gather(
    algorithm: Algorithm, generate: Callable[[int], Samples], parts: list[tuple[int, int, int]], threads: int
) -> Samples:
    """All `parts` in one set of arrays, each block written to its place by the thread that made it."""
    ends = np.cumsum([end - first for _, first, end in parts])
    block, first, end = parts[0]
    head = generate(block)[first:end]
    nodes = head.inputs["pos"].shape[1]
    inputs = {probe.name: np.empty((ends[-1], *probe.shape(nodes)), probe.dtype) for probe in algorithm.inputs}
    outputs = {probe.name: np.empty((ends[-1], *probe.shape(nodes)), probe.dtype) for probe in algorithm.outputs}
    whole = Samples(inputs, outputs, np.empty(ends[-1], np.int64))

    def put(part: Samples, end: int) -> None:
        target = whole[end - len(part.lengths) : end]
        for into, made in ((target.inputs, part.inputs), (target.outputs, part.outputs)):
            for name, array in made.items():
                into[name][...] = array
        target.lengths[...] = part.lengths

    def fill(k: int) -> None:
        block, first, end = parts[k]
        put(generate(block)[first:end], ends[k])

    put(head, ends[0])
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(fill, range(1, len(parts))))
    return whole


def hints(recipe: Recipe, samples: Samples) -> Arrays:
    """The hint rows [count, T, ...] of the given samples; T is the longest trajectory among them."""
    algorithm = algorithms.get(recipe.algorithm)
    inputs = {probe.name: np.ascontiguousarray(samples.inputs[probe.name], probe.dtype) for probe in algorithm.inputs}
    recorded = algorithm.record(inputs, int(samples.lengths.max(initial=0)))
    if recipe.stream == "fast":
        return recorded
    return {probe.name: recorded[probe.name].astype(probe.benchmark_dtype) for probe in algorithm.hints}
