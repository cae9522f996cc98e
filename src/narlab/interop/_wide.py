"""Samples in the benchmark's wide dtypes: made narrow in the cache, a few at a time, and then widened to memory."""

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from math import prod
from typing import Any, NamedTuple, TypeVar

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
SLACK = 4  # a piece has a fourth more room than is asked for, since rows become more; what is not used takes none

Kept = TypeVar("Kept")


class RecycledMemory:
    """Pieces of memory that are used again once nothing refers to them any more; up to `most` of them are kept.

    Fresh memory takes time: the system clears it page by page.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._free: list[np.ndarray] = []

    def piece(self, size: int) -> np.ndarray:
        """So many bytes of any content, which nobody else gets as long as there is a view of them."""
        memory = _taken_from(self._free)
        if memory is None or len(memory) < size:
            memory = np.empty(size + size // SLACK, np.uint8)
        lent = np.frombuffer(memory.data, np.uint8, size)  # by a memoryview: so the base of all views is this array
        weakref.finalize(lent, self._take_back, memory).atexit = False
        return lent

    def _take_back(self, memory: np.ndarray) -> None:
        if len(self._free) < self._most:
            self._free.append(memory)


def _taken_from(free: list[Kept]) -> Kept | None:
    """One that is free, if any is; threads may ask for one at the same time."""
    try:
        return free.pop()
    except IndexError:
        return None


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
    """How `count` samples are made: narrow ones in a scratch, hints of `step` of them at once; wide ones in the result.

    `table` says `widen_all` where hints lie in both; hints of `others` are of dtypes that it does not take.
    """

    def __init__(self, algorithm: Algorithm, count: int, nodes: int, rows: int) -> None:
        dtypes = {probe.name: probe.dtype for probe in algorithm.probes}
        one = Layout(dtypes, _shapes(algorithm.hints, 1, nodes, rows))
        self.step = max(1, min(count, CACHED // max(1, one.size)))
        self.outputs = Layout(dtypes, _shapes(algorithm.outputs, count, nodes, rows))
        self.hints = Layout(dtypes, _shapes(algorithm.hints, self.step, nodes, rows))
        wide = {probe.name: probe.benchmark_dtype for probe in algorithm.probes}
        self.result = Layout(wide, _shapes(algorithm.probes, count, nodes, rows))
        taken = [name for name in self.hints.places if dtypes[name] in NARROW and wide[name] == "float64"]
        self.others = [name for name in self.hints.places if name not in taken]
        self.table = np.array([self._line(name) for name in taken], np.int64).reshape(-1, 4)
        self._free: list[Scratch] = []

    @contextmanager
    def scratch(self) -> Iterator["Scratch"]:
        """A scratch for one thread."""
        scratch = _taken_from(self._free) or Scratch(self)
        yield scratch
        self._free.append(scratch)

    def _line(self, name: str) -> tuple[int, ...]:
        source, target = self.hints.places[name], self.result.places[name]
        return NARROW.index(source.dtype.name), source.first, prod(source.shape[1:]), target.first


class Scratch:
    """Narrow outputs, and narrow hints of a few samples, which lie in one piece of memory."""

    def __init__(self, plan: Plan) -> None:
        memory = np.empty(plan.hints.size, np.uint8)
        self.outputs, self.hints = plan.outputs.arrays(np.empty(plan.outputs.size, np.uint8)), plan.hints.arrays(memory)
        self.by_dtype = [memory.view(dtype) for dtype in NARROW]

    def clear(self, part: slice) -> None:
        """Zeros, where algorithms expect them: in the outputs of these samples, and in all hints."""
        self.by_dtype[0].fill(0)
        for array in self.outputs.values():
            array[part] = 0


class WideExecution:
    """Runs an algorithm on inputs of the fast stream; what it gives has the benchmark's dtypes.

    Hints have at least `rows` rows, which can be set anew at any time.
    """

    def __init__(self, algorithm: Algorithm, most_pieces: int) -> None:
        self._algorithm = algorithm
        self._results = RecycledMemory(most_pieces)
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
        plan, lengths = self._plan(count, nodes, rows), np.zeros(count, np.int64)
        check_memory(f"{count} samples of {self._algorithm.name}", plan.result.size, "take fewer or smaller ones")
        memory = self._results.piece(plan.result.size)
        arrays = plan.result.arrays(memory)
        with plan.scratch() as scratch:
            for start in range(0, count, plan.step):
                part = slice(start, min(start + plan.step, count))
                self._run_part(scratch, inputs, lengths, part)
                widen_all(plan.table, start, part.stop - start, *scratch.by_dtype, memory.view(np.float64))
                for name in plan.others:
                    arrays[name][part] = scratch.hints[name][: part.stop - start]
            for name, array in (*inputs.items(), *scratch.outputs.items()):
                widen(array, arrays[name])
        stages = [{name: arrays[name] for name in names} for names in (inputs, scratch.outputs, scratch.hints)]
        return Samples(stages[0], stages[1], lengths, stages[2])

    def _run_part(self, scratch: Scratch, inputs: Arrays, lengths: np.ndarray, part: slice) -> None:
        """Run the algorithm on some of the inputs; the first hints of the scratch are theirs."""
        of_inputs, of_outputs, of_hints = self._algorithm.records
        scratch.clear(part)
        hints = slice(part.stop - part.start)
        self._run(
            of_inputs(*[array[part] for array in inputs.values()]),
            of_outputs(*[array[part] for array in scratch.outputs.values()]),
            of_hints(*[array[hints] for array in scratch.hints.values()]),
            lengths[part],
        )


def _code(algorithm: Algorithm) -> Callable[..., Any]:
    """The algorithm's machine code; of one that is not compiled by narlab, what there is."""
    stages = (algorithm.inputs, algorithm.outputs, algorithm.hints)
    dtypes = {probe.name: probe.dtype for probe in algorithm.probes}
    empty = [Layout(dtypes, _shapes(probes, 0, 2, 0)).arrays(np.zeros(0, np.uint8)) for probes in stages]
    records = [record(*arrays.values()) for record, arrays in zip(algorithm.records, empty, strict=True)]
    code_for = getattr(algorithm.run, "code_for", lambda *_: algorithm.run)
    return code_for(*records, np.zeros(0, np.int64))
