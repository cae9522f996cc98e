"""Curves and points in panels, as in a paper: colours, markers and dashes tell series apart."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from math import isfinite

import numpy as np
from matplotlib import style as matplotlib_style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from narlab.experiments.declaring.outcome import Plot, Series
from narlab.report.pictures import style
from narlab.report.pictures.figures import PANEL_TITLE_SIZE, columns_of, new_figure

COLOURS = (style.BLUE, style.VERMILLION, style.GREEN, style.ORANGE, style.PURPLE, style.SKY, style.INK)
MARKERS = ("o", "s", "^", "D", "v", "P")  # of another number than the colours: 42 looks before one comes again
DASHES: tuple[style.Dashes, ...] = (style.SOLID, (0, (4, 1.5)), (0, (1.2, 1.2)), (0, (4, 1.2, 1.2, 1.2)))
SIZES = {1: (4.2, 3.0), 2: (3.3, 2.5), 3: (2.35, 2.1)}  # inches of a panel, by how many stand beside each other
LINE = 0.19  # inches of a line of the legend
MARKED = 41  # points of a curve that get a marker, at most: all of those that an experiment computes


@dataclass(frozen=True)
class _Look:
    """How a series of some label is drawn, in every panel."""

    colour: str
    marker: str
    dashes: style.Dashes


def figure(plot: Plot) -> Figure:
    """The plot, a few inches wide, so that it is legible in a column or on a page of a paper."""
    with matplotlib_style.context(["default", style.SETTINGS]):
        return _figure(plot)


def _figure(plot: Plot) -> Figure:
    shared = not plot.points  # points of several tasks each have their own range
    columns = columns_of(len(plot.panels))
    count = max(len(plot.panels), 1)
    looks = _looks(plot)
    beside = _beside(looks, SIZES[columns][0] * columns)
    below = max(0.4, LINE * -(-len(looks) // beside))
    made, panels = new_figure(count, SIZES[columns], plot.title, below=below, sharex=shared, sharey=shared)
    for axes, (title, group) in zip(panels, plot.panels.items(), strict=False):
        axes.set_title(title, fontsize=PANEL_TITLE_SIZE)
        for series in group:
            _draw(axes, series, looks[series.label], points=plot.points)
    groups = list(plot.panels.values()) or [()]
    for k, axes in enumerate(panels):
        _finish(axes, has_numbers=any(isfinite(y) for series in groups[k] for y in series.y))
        if plot.alike:
            _make_alike(axes)
        if k % columns == 0:
            axes.set_ylabel(plot.y_label)
        if k + columns >= len(panels):  # nothing below it
            axes.set_xlabel(plot.x_label)
            axes.tick_params(labelbottom=True)
    _add_legend(made, panels, plot, beside)
    return made


def _looks(plot: Plot) -> dict[str, _Look]:
    labels = dict.fromkeys(series.label for series in chain(*plot.panels.values()))
    return {
        label: _Look(COLOURS[k % len(COLOURS)], MARKERS[k % len(MARKERS)], DASHES[k % len(DASHES)])
        for k, label in enumerate(labels)
    }


def _draw(axes: Axes, series: Series, look: _Look, *, points: bool) -> None:
    if points:
        _draw_points(axes, series, look)
    else:
        _draw_curve(axes, series, look)


def _draw_points(axes: Axes, series: Series, look: _Look) -> None:
    """Points with a pale rim, so that those on top of each other can be told apart."""
    crowded = len(series.x) > 30
    if series.spread is not None:
        axes.errorbar(series.x, series.y, series.spread, fmt="none", ecolor=look.colour, elinewidth=0.8, alpha=0.6)
    axes.scatter(
        series.x,
        series.y,
        s=9 if crowded else 22,
        c=look.colour,
        marker=look.marker,
        alpha=0.7 if crowded else 0.95,
        edgecolors=style.WHITE,
        linewidths=0.3,
        label=series.label,
        zorder=3,
    )


def _draw_curve(axes: Axes, series: Series, look: _Look) -> None:
    axes.plot(
        series.x,
        series.y,
        color=look.colour,
        linestyle=look.dashes,
        linewidth=1.5,
        marker=look.marker,
        markersize=4,
        markevery=np.unique(np.linspace(0, len(series.x) - 1, MARKED).round().astype(int)).tolist(),
        markeredgecolor=style.WHITE,
        markeredgewidth=0.4,
        label=series.label,
        zorder=3,
    )
    if series.spread is not None:
        low, high = ([y + sign * half for y, half in zip(series.y, series.spread, strict=True)] for sign in (-1, 1))
        axes.fill_between(series.x, low, high, color=look.colour, alpha=0.18, linewidth=0)


def _finish(axes: Axes, *, has_numbers: bool) -> None:
    axes.grid(color=style.PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.margins(0.06)
    axes.tick_params(length=3, width=0.7)
    if not has_numbers:
        axes.text(0.5, 0.5, "no runs yet", transform=axes.transAxes, ha="center", va="center", color=style.GREY)


def _make_alike(axes: Axes) -> None:
    """The same range for x and y, and a line where they are equal."""
    bounds = (*axes.get_xlim(), *axes.get_ylim())
    axes.set(xlim=(min(bounds), max(bounds)), ylim=(min(bounds), max(bounds)), aspect="equal")
    axes.axline((0.0, 0.0), slope=1.0, color=style.GREY, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)


def _beside(labels: Iterable[str], width: float) -> int:
    """How many entries of the legend fit beside each other in so many inches, roughly."""
    longest = max((0.45 + 0.068 * len(label) for label in labels), default=width)
    return max(1, int(width // longest))


def _add_legend(made: Figure, panels: list[Axes], plot: Plot, beside: int) -> None:
    """One for all panels, below them; none where the panels' titles say it all."""
    entries = dict(pair for axes in panels for pair in zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    if all(series.label in ("", title) for title, group in plot.panels.items() for series in group) or not entries:
        return
    length, scale = (0.8, 1.6) if plot.points else (2.6, 1.2)
    made.legend(
        entries.values(),
        entries.keys(),
        loc="outside lower center",
        ncols=min(beside, len(entries)),
        handlelength=length,
        markerscale=scale,
    )
