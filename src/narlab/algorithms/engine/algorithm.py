"""An algorithm: what it is given, what it answers, how inputs are drawn and how it runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np

from narlab.algorithms.engine.validity import (
    Defect,
    Validity,
    Verdicts,
    checked,
    find_defects,
    judge,
    no_value,
    validity_of,
)
from narlab.algorithms.sampling import Draws, Fast, Official, block_size, blocks
from narlab.common.errors import UsageError, check_count, check_integer, check_seed, unknown
from narlab.common.machine import check_memory, in_parts
from narlab.specs import Probe, Stage

Arrays = dict[str, np.ndarray]
ALIGNMENT = 64  # bytes
LARGEST = 2**15 - 1  # nodes: pointers are int16


@dataclass(frozen=True)
class Execution:
    """What an algorithm did on a batch: its outputs, the rows of its hints and how many rows each sample has."""

    outputs: Arrays
    hints: Arrays | None
    lengths: np.ndarray


@dataclass(frozen=True)
class Algorithm:
    """One algorithm of the benchmark.

    `sampler(draws, n, count, **options)` draws inputs; `run(inputs, outputs, hints, lengths)` is compiled and fills
    the last three for a batch. `lengths_at_16` are the shortest and the longest trajectory of the benchmark's training
    split, `multiplier` the factor on its number of validation and test samples, `smallest` the least n. Where the
    number of rows depends on the number of nodes alone, `rows` gives it and saves a pass that counts them. `validity`
    says which answers are correct besides the benchmark's own.
    """

    name: str
    family: str
    probes: tuple[Probe, ...]
    records: tuple[type, type, type]
    sampler: Callable[..., Mapping[str, np.ndarray]]
    run: Callable
    lengths_at_16: tuple[int, int]
    multiplier: int = 1
    smallest: int = 2
    rows: Callable[[int], int] | None = None
    check: Callable[[Arrays], None] | None = None
    validity: Validity | None = None

    @property
    def inputs(self) -> tuple[Probe, ...]:
        return self._of_stage(Stage.INPUT)

    @property
    def outputs(self) -> tuple[Probe, ...]:
        return self._of_stage(Stage.OUTPUT)

    @property
    def hints(self) -> tuple[Probe, ...]:
        return self._of_stage(Stage.HINT)

    def _of_stage(self, stage: Stage) -> tuple[Probe, ...]:
        return tuple(probe for probe in self.probes if probe.stage is stage)

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the options that `sample` takes."""
        return getattr(self.sampler, "options", ())

    @property
    def has_graph(self) -> bool:
        """Whether the algorithm works on a given graph, so that graphs of any family can be put in."""
        return any(probe.name == "adj" for probe in self.inputs)

    def check_size(self, n: object) -> int:
        """`n`, or a `ValueError` if there are no samples of that size."""
        n = check_integer("n", n, 0)
        if not self.smallest <= n <= LARGEST:
            raise UsageError(f"{self.name} needs n from {self.smallest} to {LARGEST}, got n={n}")
        return n

    def sample(self, n: int, count: int, *, seed: int = 0, stream: str = "official", **options: Any) -> Arrays:
        """Inputs [count, ...] of size `n`, by probe name.

        The `official` stream gives the arrays that dm-clrs draws with this seed, in its dtypes; the `fast` stream is
        made for many samples, and its arrays have the probes' narrow dtypes.
        """
        self.check_size(n)
        check_count(count)
        check_seed(seed)
        if stream == "official":
            return self.sample_from(Official(seed), n, count, **options)
        if stream == "fast":
            return self.sample_range(n, 0, count, seed=seed, **options)
        raise unknown("stream", stream, ("official", "fast"))

    def sample_from(self, draws: Official, n: int, count: int, **options: Any) -> Arrays:
        """The inputs that the benchmark's generator draws next, in its dtypes."""
        self._check_memory(n, count, 8)
        samples = [self._draw(draws, n, 1, options) for _ in range(count)] or [self._draw(draws, n, 1, options)]
        return {
            probe.name: np.concatenate([sample[probe.name] for sample in samples])[:count].astype(probe.benchmark_dtype)
            for probe in self.inputs
        }

    def sample_range(self, n: int, start: int, stop: int, *, seed: int, **options: Any) -> Arrays:
        """Samples `start` to `stop` of the fast stream, the same whatever range is asked for."""
        parts = [
            {name: array[first:end] for name, array in self.sample_block(n, block, seed=seed, **options).items()}
            for block, first, end in blocks(start, max(stop, start + 1), block_size(n))
        ]
        return {
            probe.name: np.concatenate([part[probe.name] for part in parts])[: stop - start] for probe in self.inputs
        }

    def sample_block(self, n: int, block: int, *, seed: int, **options: Any) -> Arrays:
        """One whole block of the fast stream."""
        self._check_memory(n, block_size(n), 1)
        drawn = self._draw(Fast(seed, block), n, block_size(n), options)
        return {probe.name: drawn[probe.name].astype(probe.dtype, order="C", copy=False) for probe in self.inputs}

    def _check_memory(self, n: int, count: int, item: int) -> None:
        """Raise a `UsageError` if there is no room for the inputs of samples, of at least `item` bytes a value."""
        sizes = (max(item, np.dtype(probe.dtype).itemsize) * prod(probe.shape(n)) for probe in self.inputs)
        samples = f"{count} samples" if count > 1 else "a sample"
        check_memory(f"{samples} of {self.name} with n={n}", count * sum(sizes), "take fewer or smaller ones")

    def _draw(self, draws: Draws, n: int, count: int, options: dict) -> Mapping[str, np.ndarray]:
        for option in options:
            if option not in self.options:
                raise unknown(f"option of {self.name}", option, self.options)
        return self.sampler(draws, n, count, **options)

    def execute(self, inputs: Any, hints: bool = True, *, threads: int | None = None) -> Execution:
        """Run the algorithm on `inputs`; see `Execution`.

        Arguments:
            inputs: arrays [count, ...] by name in the benchmark's format, or shorter: one instance without the batch
                axis, without what follows from the rest (`pos`, `adj`), `edges` instead of `A`, or a networkx graph.
            hints: whether to record them, [count, T, ...], padded with zeros after each sample's own length.
            threads: how many; default: all cores.

        >>> from narlab import algorithms
        >>> algorithms.get("bfs").execute({"edges": [[0, 1], [1, 2]], "s": 0}).outputs["pi"].tolist()
        [[0, 0, 1]]
        """
        if not self._is_whole(inputs):
            from narlab.algorithms.engine.instances import complete

            inputs = complete(self, inputs)
        from narlab.algorithms.engine.checking import check_inputs  # what is sampled needs none

        return self.execute_valid(check_inputs(self, inputs), hints, threads=threads)

    def _is_whole(self, inputs: Any) -> bool:
        """Whether there is an array with a batch axis for each input, as in all of our own data."""
        return isinstance(inputs, Mapping) and all(
            isinstance(array := inputs.get(probe.name), np.ndarray) and array.ndim == 1 + len(probe.shape(1))
            for probe in self.inputs
        )

    def execute_valid(
        self, inputs: Arrays, hints: bool = True, *, rows: int | None = None, threads: int | None = None
    ) -> Execution:
        """As `execute`, for inputs that are known to be valid and in the probes' dtypes.

        `rows`, a guess of the longest trajectory, saves counting: only if it is too small all is done again.
        """
        count, nodes = inputs["pos"].shape
        lengths = np.zeros(count, np.int64)
        outputs = _allocate(self.outputs, count, nodes)
        if rows is None:
            rows = self.rows(nodes) if self.rows else 0
        recorded = _allocate(self.hints, count, nodes, rows=rows if hints else 0)
        self._run(inputs, outputs, recorded, lengths, threads=threads)
        longest = int(lengths.max(initial=0))
        if hints and longest > rows:
            recorded = _allocate(self.hints, count, nodes, rows=longest)
            self._run(inputs, outputs, recorded, lengths, threads=threads)
        elif hints and longest < rows:
            recorded = {name: np.ascontiguousarray(array[:, :longest]) for name, array in recorded.items()}
        return Execution(outputs, recorded if hints else None, lengths)

    def compile(self) -> None:
        """Have the compiled code ready, from the cache if it is there."""
        inputs = {probe.name: np.zeros((0, *probe.shape(4)), probe.dtype) for probe in self.inputs}
        self.execute_valid(inputs, threads=1)

    @property
    def is_compiled(self) -> bool:
        """Whether there is nothing to compile any more, on this machine; so it is if `run` is not compiled by us."""
        return getattr(self.run, "is_compiled", lambda: True)()

    def _as_records(self, *stages: Arrays) -> list[tuple]:
        return [record(*arrays.values()) for record, arrays in zip(self.records, stages, strict=True)]

    def _run(self, inputs: Arrays, outputs: Arrays, hints: Arrays, lengths: np.ndarray, *, threads: int | None) -> None:
        def run_part(part: slice) -> None:
            views = ({name: array[part] for name, array in stage.items()} for stage in (inputs, outputs, hints))
            self.run(*self._as_records(*views), lengths[part])

        in_parts(run_part, len(lengths), threads)

    def verdicts(
        self, inputs: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], *, threads: int | None = None
    ) -> Verdicts:
        """All that is to say about answers, in one pass: see `valid`, `valid_elements` and `optimality_gap`.

        Inputs and outputs are arrays by name in the benchmark's format, of the benchmark's dtypes or any narrower.
        """
        return judge(self, *checked(self, inputs, outputs), threads=threads)

    def valid(self, inputs: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray]) -> np.ndarray:
        """Whether each instance's answer is a correct one, [count], whichever ties it broke in its own way.

        >>> from narlab import algorithms
        >>> bfs = algorithms.get("bfs")
        >>> inputs = bfs.sample(16, 3)
        >>> bfs.valid(inputs, bfs.execute(inputs).outputs)
        array([ True,  True,  True])
        """
        return self.verdicts(inputs, outputs).valid

    def valid_elements(self, inputs: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray]) -> Arrays:
        """Which elements of each output are right on their own, by name, as `validity.elements` says.

        [count, N] for what nodes answer, [count, N, N] for pairs, [count] for a one-hot or the whole graph.
        """
        elements = self.verdicts(inputs, outputs).elements
        return {probe.name: array for probe, array in zip(self.outputs, elements, strict=True)}

    @property
    def has_value(self) -> bool:
        """Whether the problem has a value, so that answers have an `optimality_gap`."""
        return self.validity is not None and self.validity.value is not None

    def optimality_gap(self, inputs: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray]) -> np.ndarray:
        """How much worse than the best each answer is, relative to the best, [count].

        0 for a valid answer, infinite for one that is no solution at all; `validity.value` says what is measured.
        """
        if validity_of(self).value is None:
            raise no_value(self)
        return self.verdicts(inputs, outputs).gap

    def defects(self, inputs: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray]) -> list[list[Defect]]:
        """Why answers are not valid: a list of defects for each instance, empty exactly if it is valid."""
        return find_defects(self, *checked(self, inputs, outputs))


def _allocate(probes: Sequence[Probe], count: int, nodes: int, rows: int | None = None) -> Arrays:
    """Arrays of zeros by probe name, in one piece of memory: a piece that is freed whole can be used again whole."""
    time = () if rows is None else (rows,)
    shapes = {probe.name: (count, *time, *probe.shape(nodes)) for probe in probes}
    sizes = [prod(shapes[probe.name]) * np.dtype(probe.dtype).itemsize for probe in probes]
    starts = [0, *accumulate(-(-size // ALIGNMENT) * ALIGNMENT for size in sizes)]
    check_memory(f"executing {count} samples of {nodes} nodes", starts[-1], "take fewer or smaller ones")
    memory = np.zeros(starts[-1], np.uint8)
    return {
        probe.name: memory[start : start + size].view(probe.dtype).reshape(shapes[probe.name])
        for probe, start, size in zip(probes, starts, sizes, strict=False)
    }
