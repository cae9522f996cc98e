"""Pictures of one instance: the input on the left, the output, or a prediction of it, on the right."""

import os
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec
from matplotlib.layout_engine import ConstrainedLayoutEngine

from narlab.algorithms.engine import Algorithm
from narlab.algorithms.engine.validity import Defect
from narlab.report.pictures import style
from narlab.report.pictures.figures import DPI, save
from narlab.report.pictures.instance import bars, graph_panels, intervals, letters, pair_matrices, points
from narlab.report.pictures.instance.panel import Entries, Panel
from narlab.report.pictures.instance.sample import Sample
from narlab.specs import Location, Type

TITLE, SUBTITLE, LEGEND_LINE, GAP = 0.32, 0.3, 0.24, 0.35  # inches
DEFECT_LINE, DEFECT_LINES = 0.17, 6  # inches of a line with a defect, and how many there are at most
LETTERS_PER_INCH = 15  # of these lines, roughly


def draw(
    algorithm: Algorithm,
    inputs: Mapping[str, np.ndarray],
    outputs: Mapping[str, np.ndarray],
    path: str | os.PathLike,
    *,
    predicted: Mapping[str, np.ndarray] | None = None,
    defects: Sequence[Defect] | None = None,
    shows_right: bool = True,
) -> Path:
    """Draw one sample (arrays without a batch axis, by probe name) into a PNG, SVG or PDF file.

    With `predicted`, in the form of `outputs`, the right panel shows the prediction, and what is wrong in vermillion;
    with its `defects`, what makes it invalid is marked in purple, and the first of them stand below. Without
    `shows_right` what is right is left out of a graph, which makes large ones readable.
    """
    judged = None if defects is None else tuple(defects)
    sample = Sample(algorithm, inputs, outputs, predicted, judged, shows_right)
    return save(lambda: figure_of(sample), path)


def panels(sample: Sample) -> tuple[Panel, Panel]:
    """The pictures of input and output, by the probes that there are.

    An output with a value for every pair of nodes is a table; any other looks like the input.
    """
    kind = kind_of(sample)
    outputs = {(probe.location, probe.type) for probe in sample.algorithm.outputs}
    if (Location.EDGE, Type.POINTER) in outputs:
        return kind.input_panel(sample), pair_matrices.pointers_panel(sample)
    if (Location.EDGE, Type.CATEGORICAL) in outputs:
        return kind.input_panel(sample), pair_matrices.directions_panel(sample)
    return kind.input_panel(sample), kind.output_panel(sample)


class Kind(Protocol):
    """A module of this folder that draws one kind of instance."""

    def input_panel(self, sample: Sample) -> Panel: ...

    def output_panel(self, sample: Sample) -> Panel: ...

    def mark_defects(self, sample: Sample, axes: Axes) -> None: ...


def kind_of(sample: Sample) -> Kind:
    names = sample.inputs.keys()
    if "adj" in names:
        return graph_panels
    if "string" in names:
        return letters
    if {"x", "y"} <= names:
        return points
    return intervals if {"s", "f"} <= names else bars


def figure_of(sample: Sample) -> Figure:
    """A line with the title; below it for each panel its title, the panel and its legend; then what is defective."""
    pair = panels(sample)
    widths, height = [panel.width for panel in pair], max(panel.height for panel in pair)
    figure = Figure(dpi=DPI, layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.05, wspace=0.04, hspace=0))
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(4, 2, width_ratios=widths)
    lines = 0
    for column, panel in enumerate(pair):
        _write(figure, grid[0, column], panel.title)
        axes = figure.add_subplot(grid[1, column])
        entries = panel.draw(axes) + _mark_defects(sample, axes, is_output=column == 1)
        lines = max(lines, _draw_legend(figure, grid[2, column], entries, panel.width))
    below = _write_defects(figure, grid[3, :], sample, int(LETTERS_PER_INCH * sum(widths)))
    grid.set_height_ratios([SUBTITLE, height, max(lines * LEGEND_LINE, 0.02), max(below, 0.01)])
    figure.set_size_inches(sum(widths) + GAP, TITLE + SUBTITLE + height + lines * LEGEND_LINE + below + 0.1)
    figure.suptitle(_title(sample))
    return figure


def _mark_defects(sample: Sample, axes: Axes, *, is_output: bool) -> Entries:
    """Nodes are marked in the output, or in the input where the output is a table of pairs; then its cells are, too."""
    is_table = any(
        probe.location is Location.EDGE and probe.type is not Type.MASK for probe in sample.algorithm.outputs
    )
    if not sample.defects:
        return []
    if is_table and is_output:
        pair_matrices.mark_defects(sample, axes)
        return []
    if not is_table and not is_output:
        return []
    kind_of(sample).mark_defects(sample, axes)
    return [("defect", style.disc(style.WHITE, edge=style.DEFECT, width=2))] if sample.defective_nodes else []


def _write_defects(figure: Figure, cell: SubplotSpec, sample: Sample, width: int) -> float:
    """The first defects, a line each; returns the inches that they need."""
    axes = figure.add_subplot(cell)
    axes.set_axis_off()
    found = sample.defects or ()
    lines = [textwrap.shorten(defect.text, width, placeholder=" ...") for defect in found[:DEFECT_LINES]]
    if len(found) > DEFECT_LINES:
        lines[-1:] = [f"and {len(found) - DEFECT_LINES + 1} more"]
    for k, line in enumerate(lines):
        axes.text(0.01, 1 - (k + 0.5) / len(lines), line, va="center", fontsize=8, color=style.INK)
    return DEFECT_LINE * len(lines)


def _write(figure: Figure, cell: SubplotSpec, text: str) -> None:
    axes = figure.add_subplot(cell)
    axes.set_axis_off()
    axes.text(0.5, 0.5, text, ha="center", va="center", fontsize=10)


def _draw_legend(figure: Figure, cell: SubplotSpec, entries: Entries, width: float) -> int:
    """The entries side by side, in as many lines as they need; returns how many."""
    axes = figure.add_subplot(cell)
    axes.set_axis_off()
    if not entries:
        return 0
    labels, handles = zip(*entries, strict=True)
    needed = sum(0.5 + 0.07 * len(label) for label in labels)  # inches, roughly
    lines = min(len(labels), int(needed // width) + 1)
    axes.legend(
        handles,
        labels,
        loc="center",
        ncols=-(-len(labels) // lines),
        borderpad=0,
        borderaxespad=0,
        handlelength=1.6,
        columnspacing=1.4,
    )
    return lines


def _title(sample: Sample) -> str:
    title = f"{sample.algorithm.name}, {sample.nodes} nodes"
    if not sample.is_predicted:
        return title
    right, elements = sample.score()
    verdict = "" if sample.defects is None else "; not valid" if sample.defects else "; valid"
    return f"{title}: {right} of {elements} predicted elements right{verdict}"
