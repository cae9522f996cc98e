"""Scores against the size of the graphs, or the depth of the model: a line per graph family, a band its interval."""

import os
from collections.abc import Iterable, Sequence
from itertools import cycle
from math import isfinite, isinf, nan
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from narlab.evaluation.measurement import Measurement
from narlab.evaluation.metrics import Metric
from narlab.report.pictures import style
from narlab.report.pictures.figures import AS_DRAWN, DPI, Look, columns_of, save

COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.VERMILLION, style.PURPLE, style.SKY, style.INK)
MARKERS = ("o", "s", "^", "D", "v", "P")  # of another number than the colours: 42 looks before one comes again
WIDTH, HEIGHT = 4.2, 3.6  # inches of a panel
Lines = dict[str, list[Measurement]]


def plot_scores(measured: Sequence[Measurement], path: str | os.PathLike, *, title: str, look: Look = AS_DRAWN) -> Path:
    """Draw the metrics of all measurements into a PNG, SVG or PDF file, a panel each.

    Measurements at given depths are drawn against the number of steps, those of each size as a line of its own.
    """
    return save(lambda: _figure(_lines(measured), _metrics(measured), title), path, look)


def _lines(measured: Iterable[Measurement]) -> Lines:
    """The measurements of each family (or, without one, data set), by size; families as they were asked for."""
    lines: Lines = {}
    for each in sorted(measured, key=_place):
        own = "as in the benchmark" if each.description.dataset == "custom" else each.data
        name = each.description.graphs or own
        lines.setdefault(name if each.steps is None else f"{name}, n={each.description.n}", []).append(each)
    return lines


def _place(measured: Measurement) -> int:
    """Where a measurement stands on the axis: its size, or the number of steps if that was asked for."""
    return measured.description.n if measured.steps is None else measured.steps


def _metrics(measured: Sequence[Measurement]) -> list[Metric]:
    """The metrics that every measurement has."""
    return [metric for metric in measured[0].metrics if all(metric in other.metrics for other in measured)]


def _figure(lines: Lines, metrics: Sequence[Metric], title: str) -> Figure:
    columns = columns_of(len(metrics))
    rows = -(-len(metrics) // columns)
    figure = Figure((WIDTH * columns, HEIGHT * rows), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title)
    grid = figure.subplots(rows, columns, squeeze=False)
    for unused in grid.flat[len(metrics) :]:
        unused.set_axis_off()
    panels = grid.flat[: len(metrics)]
    sizes = sorted({_place(each) for line in lines.values() for each in line})
    label = "steps" if any(each.steps is not None for line in lines.values() for each in line) else "nodes"
    bottom = _bottom(lines, [metric for metric in metrics if metric.is_share])
    for axes, metric in zip(panels, metrics, strict=True):
        _draw_panel(axes, lines, metric, sizes)
        axes.set_xlabel(label)
        if metric.is_share:  # all on one scale
            axes.set_ylim(bottom, 102)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 4))
    return figure


def _draw_panel(axes: Axes, lines: Lines, metric: Metric, sizes: list[int]) -> None:
    looks = zip(lines.items(), cycle(COLOURS), cycle(MARKERS), strict=False)
    for k, ((family, line), colour, marker) in enumerate(looks):
        aside = 1.0 if len(sizes) > 1 else 1.02 ** (k - (len(lines) - 1) / 2)  # points at one size, side by side
        points = [(_place(each) * aside, *_values(each, metric)) for each in line]
        _draw_line(axes, points, family, colour, marker)
    axes.set_title(metric.title.replace(" %", ", %"), fontsize=10)
    _scale(axes, sizes)
    finite = [value for line in lines.values() for each in line for value in _values(each, metric) if isfinite(value)]
    if finite and min(finite) >= 0:
        axes.set_ylim(bottom=0)  # a gap of 0 is the best there is
    _tell_infinite(axes, [each for line in lines.values() for each in line], metric)


def _tell_infinite(axes: Axes, measured: Sequence[Measurement], metric: Metric) -> None:
    """Say at which sizes a value is infinite, as the gap where a model's answer is no path at all."""
    infinite = sorted({_place(each) for each in measured if isinf(each.scores[metric.name])})
    if not any(isfinite(each.scores[metric.name]) for each in measured):
        axes.text(0.5, 0.5, "no finite value", transform=axes.transAxes, ha="center", va="center", color=style.GREY)
        axes.set_yticks([])
    elif infinite:
        text = f"infinite at {', '.join(map(str, infinite))}"
        axes.text(0.98, 0.97, text, transform=axes.transAxes, ha="right", va="top", color=style.GREY, fontsize=8)


def _values(measured: Measurement, metric: Metric) -> tuple[float, float, float]:
    """The value and the ends of its interval, as they are drawn: an infinite one is not."""
    interval = measured.intervals[metric.name]
    low, value, high = (
        nan if isinf(number) else 100 * number if metric.is_share else number
        for number in (interval.low, measured.scores[metric.name], interval.high)
    )
    return low, value, high


def _draw_line(
    axes: Axes, points: list[tuple[float, float, float, float]], name: str, colour: str, marker: str
) -> None:
    """A band, and a line through the values; one size alone has a bar for its interval."""
    sizes, low, values, high = zip(*points, strict=True)
    axes.plot(sizes, values, color=colour, marker=marker, markersize=4.5, linewidth=1.6, label=name, clip_on=False)
    if len(points) > 1:
        axes.fill_between(sizes, low, high, color=colour, alpha=0.18, linewidth=0)
    else:
        axes.vlines(sizes, low, high, color=colour, linewidth=1.6)


def _scale(axes: Axes, sizes: list[int]) -> None:
    """Sizes or steps by their ratio, each with its number."""
    axes.set_xscale("log")
    axes.set_xlim(sizes[0] / 1.12, sizes[-1] * 1.12)
    axes.xaxis.set_major_locator(FixedLocator(sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(sizes, [str(n) for n in sizes])
    axes.grid(axis="y", color=style.PALE, linewidth=0.6)
    axes.set_axisbelow(True)


def _bottom(lines: Lines, shares: Sequence[Metric]) -> float:
    """Where the scale of shares begins: at 0, or not far below the lowest where all are high."""
    lows = [_values(each, metric)[0] for line in lines.values() for each in line for metric in shares]
    lowest = min(lows, default=0.0)
    return max(0.0, 10 * (lowest // 10 - 1)) if lowest > 50 else 0.0
