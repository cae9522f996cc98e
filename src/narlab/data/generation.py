"""The description of a data set, and its samples, made piece by piece on all cores or as many threads as one says."""

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np

from narlab import algorithms
from narlab.algorithms.engine import Algorithm
from narlab.algorithms.sampling import block_size, blocks
from narlab.common.errors import Either, Items, Nothing, Number, Record, Text, Whole
from narlab.common.files import parse_json
from narlab.common.machine import check_memory, cores
from narlab.data import datasets

Arrays = dict[str, np.ndarray]
WORDS = dict.fromkeys(("dataset", "algorithm", "split"), Text())
DESCRIPTION = Record(
    {**WORDS, **dict.fromkeys(("n", "count", "seed"), Whole())},
    {
        "stream": Text(),
        "graphs": Either(Text(), Nothing()),
        "weights": Either(Nothing(), Items(Number(0), 2, 2)),
        "needle": Either(Whole(1), Nothing()),
    },
)
"""What a `Description` is in a file."""


@dataclass(frozen=True)
class Description:
    """Everything that samples depend on: enough to make them again, on any machine.

    `stream` is `official` (the benchmark's arrays, dtypes included) or `fast` (the same values' narrow dtypes, any
    sample first). `graphs` is a graph family such as `regular:k=4` where it is not the algorithm's own, `needle` the
    length of the string that is looked for where it is not the benchmark's.
    """

    dataset: str
    algorithm: str
    split: str
    n: int
    count: int
    seed: int
    stream: str = "fast"
    graphs: str | None = None
    weights: tuple[float, float] | None = None
    needle: int | None = None

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Description":
        values = parse_json(text)
        DESCRIPTION.check(values, "description")
        if values.get("weights"):
            values["weights"] = tuple(values["weights"])
        return cls(**values)


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

    @property
    def nbytes(self) -> int:
        """The memory of all arrays."""
        stages = (self.inputs, self.outputs, self.hints or {}, self.marks)
        return self.lengths.nbytes + sum(array.nbytes for stage in stages for array in stage.values())


def options(description: Description) -> dict:
    """The description's options for the algorithm's sampler."""
    chosen: dict = {}
    if (own := getattr(_named(description), "GRAPHS", None)) is not None:
        chosen["graphs"] = own
    if description.graphs is not None:
        from narlab.data import graphs

        chosen["graphs"] = graphs.parse(description.graphs)
    if description.weights is not None:
        chosen["weights"] = description.weights
    if description.needle is not None:
        chosen["needle"] = description.needle
    return chosen


def _named(description: Description) -> Any:
    """The named data set, if it is one: "custom" and a user's own are none."""
    return None if description.dataset == description.split else datasets.get(description.dataset)


def marks(description: Description, start: int, stop: int) -> Arrays:
    """What the named data set says of its samples beyond the probes."""
    made = getattr(_named(description), "marks", None)
    return made(description, start, stop) if made else {}


def official(description: Description, threads: int | None = None) -> Samples:
    """The whole split in the benchmark's dtypes."""
    algorithm = algorithms.get(description.algorithm)
    inputs = algorithm.sample(description.n, description.count, seed=description.seed, **options(description))
    narrow = {probe.name: inputs[probe.name].astype(probe.dtype, order="C") for probe in algorithm.inputs}
    done = algorithm.execute_valid(narrow, hints=False, threads=threads)
    outputs = {probe.name: done.outputs[probe.name].astype(probe.benchmark_dtype) for probe in algorithm.outputs}
    return Samples(inputs, outputs, done.lengths)


def fast(description: Description, start: int, stop: int, threads: int | None = None) -> Samples:
    """Samples `start` to `stop` of the fast stream in one set of arrays."""
    pieces = stream(description, start, stop, block_size(description.n), threads=threads)
    first = next(pieces, None)
    if first is None:
        return next(stream(description, 0, 1, 1, threads=1))[:0]
    if len(first.lengths) == stop - start:
        return first
    count = stop - start

    size = sum(array.nbytes for stage in (first.inputs, first.outputs) for array in stage.values())
    check_memory(f"{count} samples of {description.algorithm}", count * size // len(first.lengths), "take fewer")

    def whole(arrays: Arrays) -> Arrays:
        return {name: np.empty((count, *array.shape[1:]), array.dtype) for name, array in arrays.items()}

    gathered = Samples(whole(first.inputs), whole(first.outputs), np.empty(count, np.int64), marks=whole(first.marks))
    done = 0
    for piece in chain([first], pieces):
        target = gathered[done : done + len(piece.lengths)]
        for into, made in ((target.inputs, piece.inputs), (target.outputs, piece.outputs), (target.marks, piece.marks)):
            for name, array in made.items():
                into[name][...] = array
        target.lengths[...] = piece.lengths
        done += len(piece.lengths)
    return gathered


def at(description: Description, places: np.ndarray, threads: int | None = None) -> Samples:
    """The samples of the fast stream at `places`, in any order, without keeping others.

    Whole blocks are drawn, since a sample is drawn with its block, but only what is asked for is executed.
    """
    algorithm = algorithms.get(description.algorithm)
    algorithm.compile()
    if not len(places):
        return fast(description, 0, 0)
    chosen, size = options(description), block_size(description.n)
    order = places.argsort(kind="stable")
    numbers, starts = np.unique(places[order] // size, return_index=True)
    inside = np.split(places[order] % size, starts[1:])

    def draw(block: int, rows: np.ndarray) -> tuple[Arrays, Arrays]:
        drawn = algorithm.sample_block(description.n, block, seed=description.seed, **chosen)
        marked = marks(description, block * size, (block + 1) * size)
        return _part(drawn, rows), _part(marked, rows)

    with _pool(threads) as pool:
        inputs, marked = map(_joined, zip(*pool.map(draw, numbers.tolist(), inside), strict=True))
    done = algorithm.execute_valid(inputs, hints=False, threads=threads)
    return Samples(inputs, done.outputs, done.lengths, marks=marked)[order.argsort()]


def stream(
    description: Description,
    start: int,
    stop: int,
    size: int,
    *,
    hints: bool = False,
    threads: int | None = None,
    execute: Callable[[Arrays, int | None], Samples] | None = None,
) -> Iterator[Samples]:
    """Samples `start` to `stop` in pieces of `size`, made ahead of time by `threads` threads, or on all cores.

    A sample is the same in any piece, order and number of threads: it is drawn with its whole block.
    `execute(inputs, rows)`, by default `Algorithm.execute_valid`, makes samples of inputs; `rows` is the longest
    trajectory so far, if there is one.
    """
    algorithm = algorithms.get(description.algorithm)
    execute = execute or _execution(algorithm, hints)
    chosen, block = options(description), block_size(description.n)
    ahead = 2 * (threads or cores())
    drawn: dict[int, Future[Arrays]] = {}
    pending: deque[Future[Samples]] = deque()
    longest = 0  # trajectory so far: a good guess of the next

    def make(first: int, end: int) -> Samples:
        nonlocal longest
        inputs = _joined([_part(drawn[b].result(), slice(i, j)) for b, i, j in blocks(first, end, block)])
        samples = execute(inputs, longest or None)
        longest = max(longest, int(samples.lengths.max()))
        return replace(samples, marks=marks(description, first, end))

    pool = _pool(threads if stop - start > size else 1)  # a single piece has nothing beside it
    try:
        for first in range(start, stop, size):
            end = min(first + size, stop)
            for b, _, _ in blocks(first, end, block):
                if b not in drawn:
                    drawn[b] = pool.submit(algorithm.sample_block, description.n, b, seed=description.seed, **chosen)
            pending.append(pool.submit(make, first, end))
            if len(pending) > ahead:
                yield pending.popleft().result()
            for b in [b for b in drawn if (b + 1) * block <= first - ahead * size]:
                del drawn[b]
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _execution(algorithm: Algorithm, hints: bool) -> Callable[[Arrays, int | None], Samples]:
    """Makes samples of inputs, by one thread."""
    algorithm.compile()

    def execute(inputs: Arrays, rows: int | None) -> Samples:
        done = algorithm.execute_valid(inputs, hints, rows=rows, threads=1)
        return Samples(inputs, done.outputs, done.lengths, done.hints)

    return execute


def _pool(threads: int | None) -> Executor:
    """So many threads, or one per core."""
    threads = threads or cores()
    return ThreadPoolExecutor(threads) if threads > 1 else _AtOnce()


class _AtOnce(Executor):
    """Does the work when it is given: a single thread is the caller's own."""

    def submit(self, work: Any, /, *arguments: Any, **options: Any) -> Future:
        done: Future = Future()
        done.set_result(work(*arguments, **options))
        return done


def _part(arrays: Arrays, part: slice | np.ndarray) -> Arrays:
    return {name: array[part] for name, array in arrays.items()}


def _joined(parts: Sequence[Arrays]) -> Arrays:
    return parts[0] if len(parts) == 1 else {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def hints(description: Description, samples: Samples, threads: int | None = None) -> Arrays:
    """The hint rows [count, T, ...] of the given samples; T is the longest trajectory among them."""
    algorithm = algorithms.get(description.algorithm)
    inputs = {probe.name: np.ascontiguousarray(samples.inputs[probe.name], probe.dtype) for probe in algorithm.inputs}
    rows = int(samples.lengths.max(initial=0))
    recorded = algorithm.execute_valid(inputs, rows=rows, threads=threads).hints
    assert recorded is not None
    if description.stream == "fast":
        return recorded
    return {probe.name: recorded[probe.name].astype(probe.benchmark_dtype) for probe in algorithm.hints}
