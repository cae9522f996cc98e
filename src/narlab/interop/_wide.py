"""Samples in the benchmark's wide dtypes: made narrow in the cache, a few at a time, and then widened to memory."""

import weakref
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from narlab.algorithms.engine import Algorithm
from narlab.common.machine import check_memory
from narlab.data.generation import Arrays, Samples
from narlab.interop._widening import NARROW, widen, widen_all
from narlab.specs import Probe, Stage

__all__ = ["RecycledMemory", "WideExecution"]

ALIGNMENT = 64  # bytes
CACHED = 2**20  # bytes of narrow hints at a time
PLANS = 8  # that are kept: few numbers of samples and rows come again and again


class RecycledMemory:
    """Pieces of memory that are used again once nothing refers to them any more; up to `most` of them are kept.

    Fresh memory takes time: the system clears it page by page.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._free: list[np.ndarray] = []

    def piece(self, size: int) -> np.ndarray:
        """So many bytes of any content, which nobody else gets as long as there is a view of them."""
        try:
            memory = self._free.pop()
        except IndexError:
            memory = np.empty(size, np.uint8)
        if len(memory) < size:
            memory = np.empty(size, np.uint8)
        lent = np.frombuffer(memory.data, np.uint8, size)  # by a memoryview: so the base of all views is this array
        weakref.finalize(lent, self._take_back, memory).atexit = False
        return lent

    def _take_back(self, memory: np.ndarray) -> None:
        if len(self._free) < self._most:
            self._free.append(memory)


class Place(NamedTuple):
    """Where an array lies in a piece of memory, in bytes."""

    start: int
    stop: int
    dtype: np.dtype
    shape: tuple[int, ...]

    def array(self, memory: np.ndarray) -> np.ndarray:
        return memory[self.start : self.stop].view(self.dtype).reshape(self.shape)

    @property
    def first(self) -> int:
        """Its first value, counted in values."""
        return self.start // self.dtype.itemsize


class Layout:
    """The places of all probes, of the given dtypes and shapes."""

    def __init__(self, dtypes: dict[str, str], shapes: dict[str, tuple[int, ...]]) -> None:
        self.places: dict[str, Place] = {}
        self.size = 0
        for name, shape in shapes.items():
            dtype = np.dtype(dtypes[name])
            end = self.size + prod(shape) * dtype.itemsize
            self.places[name] = Place(self.size, end, dtype, shape)
            self.size = -(-end // ALIGNMENT) * ALIGNMENT

    def arrays(self, memory: np.ndarray) -> Arrays:
        return {name: place.array(memory) for name, place in self.places.items()}


def _shapes(probes: Sequence[Probe], count: int, nodes: int, rows: int) -> dict[str, tuple[int, ...]]:
    """Of inputs and outputs [count, ...], of hints [count, rows, ...]."""
    time = {Stage.HINT: (rows,)}
    return {probe.name: (count, *time.get(probe.stage, ()), *probe.shape(nodes)) for probe in probes}


class Plan:
    """How `count` samples are made: `step` of them at a time, narrow ones in a scratch, wide ones in the result.

    `table` says `widen_all` where hints lie in both; hints of `others` are of dtypes that it does not take.
    """

    def __init__(self, algorithm: Algorithm, count: int, nodes: int, rows: int) -> None:
        dtypes = {probe.name: probe.dtype for probe in algorithm.probes}
        one = Layout(dtypes, _shapes(algorithm.hints, 1, nodes, rows))
        self.step = max(1, min(count, CACHED // max(1, one.size)))
        self.outputs = Layout(dtypes, _shapes(algorithm.outputs, count, nodes, rows))
        self.scratch = Layout(dtypes, _shapes(algorithm.hints, self.step, nodes, rows))
        wide = {probe.name: probe.benchmark_dtype for probe in algorithm.probes}
        self.result = Layout(wide, _shapes(algorithm.probes, count, nodes, rows))
        taken = [name for name in self.scratch.places if dtypes[name] in NARROW and wide[name] == "float64"]
        self.others = [name for name in self.scratch.places if name not in taken]
        self.table = np.array([self._line(name) for name in taken], np.int64).reshape(-1, 4)

    def _line(self, name: str) -> tuple[int, ...]:
        source, target = self.scratch.places[name], self.result.places[name]
        return NARROW.index(source.dtype.name), source.first, prod(source.shape[1:]), target.first


class WideExecution:
    """Runs an algorithm on inputs of the fast stream; what it gives has the benchmark's dtypes.

    Hints have at least `rows` rows, which can be set anew at any time.
    """

    def __init__(self, algorithm: Algorithm, most_pieces: int) -> None:
        self._algorithm = algorithm
        self._results, self._scratches = RecycledMemory(most_pieces), RecycledMemory(most_pieces)
        self._plan = lru_cache(PLANS)(partial(Plan, algorithm))
        self._run = _code(algorithm)
        self.rows = 0

    def __call__(self, inputs: Arrays, rows: int | None) -> Samples:
        """Samples of these inputs; `rows` is a guess of the longest trajectory, and one too small takes time."""
        guess = max(rows or 0, self.rows)
        samples = self._made(inputs, guess)
        longest = int(samples.lengths.max(initial=0))
        return samples if longest <= guess else self._made(inputs, longest)

    def lengths(self, inputs: Arrays) -> np.ndarray:
        """How many rows of hints each sample has, [count]."""
        return self._made(inputs, 0).lengths

    def _made(self, inputs: Arrays, rows: int) -> Samples:
        """Samples with so many rows of hints; of longer trajectories they are the first."""
        count, nodes = inputs["pos"].shape
        of, plan, lengths = self._algorithm, self._plan(count, nodes, rows), np.zeros(count, np.int64)
        check_memory(f"{count} samples of {of.name}", plan.result.size, "take fewer or smaller ones")
        memory = self._results.piece(plan.result.size)
        outputs = plan.outputs.arrays(np.zeros(plan.outputs.size, np.uint8))
        arrays = plan.result.arrays(memory)
        self._record(plan, (inputs, outputs, lengths), arrays, memory)
        for name, array in (*inputs.items(), *outputs.items()):
            widen(array, arrays[name])
        hints = {name: arrays[name] for name in plan.scratch.places}
        return Samples(
            {name: arrays[name] for name in inputs}, {name: arrays[name] for name in outputs}, lengths, hints
        )

    def _record(
        self, plan: Plan, samples: tuple[Arrays, Arrays, np.ndarray], hints: Arrays, memory: np.ndarray
    ) -> None:
        """Run the algorithm, and fill the hints, which lie in `memory`."""
        inputs, outputs, lengths = samples
        scratch = self._scratches.piece(plan.scratch.size)
        narrow, by_dtype = plan.scratch.arrays(scratch), [scratch.view(dtype) for dtype in NARROW]
        stages = [list(arrays.values()) for arrays in (inputs, outputs, narrow)]
        for start in range(0, len(lengths), plan.step):
            part = slice(start, min(start + plan.step, len(lengths)))
            count = part.stop - start
            scratch.fill(0)
            parts = (part, part, slice(count))
            records = [
                record(*[array[some] for array in arrays])
                for record, arrays, some in zip(self._algorithm.records, stages, parts, strict=True)
            ]
            self._run(*records, lengths[part])
            widen_all(plan.table, start, count, *by_dtype, memory.view(np.float64))
            for name in plan.others:
                hints[name][part] = narrow[name][:count]


def _code(algorithm: Algorithm) -> Callable[..., Any]:
    """The algorithm's machine code; of one that is not compiled by narlab, what there is."""
    stages = (algorithm.inputs, algorithm.outputs, algorithm.hints)
    dtypes = {probe.name: probe.dtype for probe in algorithm.probes}
    empty = [Layout(dtypes, _shapes(probes, 0, 2, 0)).arrays(np.zeros(0, np.uint8)) for probes in stages]
    records = [record(*arrays.values()) for record, arrays in zip(algorithm.records, empty, strict=True)]
    code_for = getattr(algorithm.run, "code_for", lambda *_: algorithm.run)
    return code_for(*records, np.zeros(0, np.int64))
