"""One instance as plain text: what the algorithm is given, what it does at every step and what it answers."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from narlab.algorithms.engine import Algorithm, Execution
from narlab.algorithms.engine.values import indices
from narlab.common.errors import UsageError
from narlab.specs import Location, Probe, Stage, Type

WIDTH = 120  # columns of a line; what is wider is folded
INDENT = "  "
BAR = " |"  # between labels and cells
NODE = "node"  # stands before the nodes' indices
MASK = {1: "1", 0: ".", -1: "-"}


def trace(algorithm: Algorithm, inputs: Mapping[str, np.ndarray], execution: Execution) -> Iterator[str]:
    """The lines that tell one instance, a batch of one sample.

    Step 0 shows all hints, a later one those that changed; `step 3 of 7` is row 3 of the rows 0 to 7.
    """
    if len(execution.lengths) != 1:
        raise UsageError(f"a trace tells one sample, got a batch of {len(execution.lengths)}")
    steps = int(execution.lengths[0])
    nodes = inputs["pos"].shape[1]
    yield f"{algorithm.name}: {_count(nodes, 'node')}, {_count(steps, 'row')} of hints"
    yield from _stage("inputs", [_Told(probe, inputs[probe.name]) for probe in algorithm.inputs])
    if execution.hints is not None:
        yield from _steps([_Told(probe, execution.hints[probe.name][0, :steps]) for probe in algorithm.hints], steps)
    yield from _stage("outputs", [_Told(probe, execution.outputs[probe.name]) for probe in algorithm.outputs])


def steps_told(algorithm: Algorithm, execution: Execution) -> list[list[str]]:
    """The lines of each step of a batch of one sample: all hints, whether they changed or not."""
    assert execution.hints is not None
    steps = int(execution.lengths[0])
    told = [_Told(probe, execution.hints[probe.name][0, :steps]) for probe in algorithm.hints]
    return [list(_section(told, told, step)) for step in range(steps)]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True)
class _Told:
    """A probe and its values at every step, [T, ...]; inputs and outputs have one step."""

    probe: Probe
    values: np.ndarray

    @cached_property
    def rows(self) -> np.ndarray:
        """The values with one-hot codes as indices: [T], [T, N] or [T, N, N]; -1 where an entry is masked."""
        return indices(self.probe, self.values)

    @property
    def axes(self) -> int:
        """How many node axes are to be laid out: a row, a matrix, or nothing but one value."""
        return self.rows.ndim - 1

    @cached_property
    def decimals(self) -> int:
        return 0 if (self.rows == np.round(self.rows)).all() else 2

    @cached_property
    def width(self) -> int:
        """Columns that the widest cell takes."""
        return max(len(self.cell(value)) for value in (self.rows.min(initial=0), self.rows.max(initial=0)))

    def changed(self, step: int) -> bool:
        return step == 0 or not np.array_equal(self.rows[step], self.rows[step - 1])

    def cell(self, value: float) -> str:
        kind, location = self.probe.type, self.probe.location
        if kind is Type.SCALAR:
            return "." if location is Location.EDGE and value == 0 else f"{value:.{self.decimals}f}"
        if kind is Type.MASK and location is not Location.GRAPH:
            return MASK[int(value)]
        if kind is Type.CATEGORICAL and self.probe.stage is Stage.INPUT:  # the letters of a string
            return chr(ord("a") + int(value))
        return "-" if value == -1 else str(int(value))


def _stage(title: str, told: list[_Told]) -> Iterator[str]:
    yield from ("", title)
    yield from _section(told, told, step=0)


def _steps(told: list[_Told], steps: int) -> Iterator[str]:
    for step in range(steps):
        yield from ("", f"step {step} of {steps - 1}")
        changed = [one for one in told if one.changed(step)]
        yield from _section(changed, told, step) if changed else (f"{INDENT}(nothing changed)",)


def _section(shown: list[_Told], told: list[_Told], step: int) -> Iterator[str]:
    """Rows under one line of node indices, then single values, then matrices; `told` decides how rows align."""
    rows = [one for one in told if one.axes == 1]
    label = max(len(NODE), *(len(one.probe.name) for one in rows), 0)
    width = max((one.width for one in rows), default=0)
    lines = [(one.probe.name, [one.cell(value) for value in one.rows[step]]) for one in shown if one.axes == 1]
    yield from _table(NODE, lines, label, width)
    yield from _fold(f"{one.probe.name} = {one.cell(one.rows[step])}" for one in shown if one.axes == 0)
    for one in shown:
        if one.axes == 2:
            indices = len(str(len(one.rows[step]) - 1))
            lines = [(str(u), [one.cell(value) for value in row]) for u, row in enumerate(one.rows[step])]
            yield from _table(one.probe.name, lines, len(one.probe.name) + 1 + indices, one.width)


def _table(name: str, lines: list[tuple[str, list[str]]], label: int, width: int) -> Iterator[str]:
    """Lines of cells below the nodes' indices, folded into as many tables as it takes."""
    nodes = max((len(cells) for _, cells in lines), default=0)
    width = max(width, len(str(nodes - 1)), 2) + 1
    fitting = max(1, (WIDTH - len(INDENT) - label - len(BAR)) // width)
    for first in range(0, nodes, fitting):
        columns = range(first, min(first + fitting, nodes))
        yield f"{INDENT}{name:<{label}}{BAR}" + "".join(f"{column:>{width}}" for column in columns)
        for title, cells in lines:
            side = f"{title:<{label}}" if name == NODE else f"{title:>{label}}"
            yield f"{INDENT}{side}{BAR}" + "".join(f"{cells[column]:>{width}}" for column in columns)


def _fold(entries: Iterable[str]) -> Iterator[str]:
    """Entries side by side, as many to a line as fit."""
    line = ""
    for entry in entries:
        longer = f"{line}   {entry}" if line else INDENT + entry
        if line and len(longer) > WIDTH:
            yield line
            longer = INDENT + entry
        line = longer
    if line:
        yield line
