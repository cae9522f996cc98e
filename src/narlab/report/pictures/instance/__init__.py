"""Pictures of one instance: the input on the left, the output, or a prediction of it, on the right."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec
from matplotlib.layout_engine import ConstrainedLayoutEngine

from narlab.algorithms.engine import Algorithm
from narlab.report.pictures.figures import DPI, save
from narlab.report.pictures.instance import bars, graph_panels, intervals, letters, pair_matrices, points
from narlab.report.pictures.instance.panel import Entries, Panel
from narlab.report.pictures.instance.sample import Sample
from narlab.specs import Location, Type

TITLE, SUBTITLE, LEGEND_LINE, GAP = 0.32, 0.3, 0.24, 0.35  # inches


def draw(
    algorithm: Algorithm,
    inputs: Mapping[str, np.ndarray],
    outputs: Mapping[str, np.ndarray],
    path: str | os.PathLike,
    *,
    predicted: Mapping[str, np.ndarray] | None = None,
) -> Path:
    """Draw one sample (arrays without a batch axis, by probe name) into a PNG or SVG file.

    With `predicted`, in the form of `outputs`, the right panel shows the prediction, and what is wrong in vermillion.
    """
    sample = Sample(algorithm, inputs, outputs, predicted)
    return save(lambda: _figure(sample), path)


def panels(sample: Sample) -> tuple[Panel, Panel]:
    """The pictures of input and output, by the probes that there are.

    An output with a value for every pair of nodes is a table; any other looks like the input.
    """
    kind = _kind(sample)
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


def _kind(sample: Sample) -> Kind:
    names = sample.inputs.keys()
    if "adj" in names:
        return graph_panels
    if "string" in names:
        return letters
    if {"x", "y"} <= names:
        return points
    return intervals if {"s", "f"} <= names else bars


def _figure(sample: Sample) -> Figure:
    """A line with the title; below it for each panel its title, the panel and its legend."""
    pair = panels(sample)
    widths, height = [panel.width for panel in pair], max(panel.height for panel in pair)
    figure = Figure(dpi=DPI, layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.05, wspace=0.04, hspace=0))
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(3, 2, width_ratios=widths)
    lines = 0
    for column, panel in enumerate(pair):
        _write(figure, grid[0, column], panel.title)
        entries = panel.draw(figure.add_subplot(grid[1, column]))
        lines = max(lines, _draw_legend(figure, grid[2, column], entries, panel.width))
    grid.set_height_ratios([SUBTITLE, height, max(lines * LEGEND_LINE, 0.02)])
    figure.set_size_inches(sum(widths) + GAP, TITLE + SUBTITLE + height + lines * LEGEND_LINE + 0.1)
    figure.suptitle(_title(sample))
    return figure


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
    return f"{title}: {right} of {elements} predicted elements right"
