"""Scores against the size of the graphs: a line per graph family, its 95 % interval as a band."""

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import cycle
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from narlab.evaluation.intervals import Interval
from narlab.evaluation.measurement import Measurement
from narlab.report.pictures import style
from narlab.report.pictures.figures import DPI, save

COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.VERMILLION, style.PURPLE, style.SKY, style.INK)
MARKERS = ("o", "s", "^", "D", "v", "P")  # of another number than the colours: 42 looks before one comes again
SIZE = (8.4, 3.6)  # inches
LEVELS: dict[str, Callable[[Measurement], tuple[float, Interval]]] = {
    "score": lambda measured: (measured.scores.score, measured.intervals.score),
    "graph score": lambda measured: (measured.scores.graph_score, measured.intervals.graph_score),
}
Lines = dict[str, list[Measurement]]


def plot_scores(measured: Sequence[Measurement], path: str | os.PathLike, *, title: str) -> Path:
    """Draw both scores of all measurements into a PNG or SVG file."""
    return save(lambda: _figure(_lines(measured), title), path)


def _lines(measured: Iterable[Measurement]) -> Lines:
    """The measurements of each family (or, without one, data set), by size; families as they were asked for."""
    lines: Lines = {}
    for each in sorted(measured, key=lambda each: each.description.n):
        own = "as in the benchmark" if each.description.dataset == "custom" else each.data
        lines.setdefault(each.description.graphs or own, []).append(each)
    return lines


def _figure(lines: Lines, title: str) -> Figure:
    figure = Figure(SIZE, dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title)
    pair = figure.subplots(1, 2, sharey=True)
    sizes = sorted({each.description.n for line in lines.values() for each in line})
    for axes, (name, level) in zip(pair, LEVELS.items(), strict=True):
        looks = zip(lines.items(), cycle(COLOURS), cycle(MARKERS), strict=False)
        for k, ((family, line), colour, marker) in enumerate(looks):
            aside = 1.0 if len(sizes) > 1 else 1.02 ** (k - (len(lines) - 1) / 2)  # points at one size, side by side
            _draw_line(axes, [(each.description.n * aside, *level(each)) for each in line], family, colour, marker)
        axes.set_title(f"{name}, %", fontsize=10)
        _scale(axes, sizes)
    pair[0].set_ylim(_bottom(lines), 102)
    handles, labels = pair[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 4))
    return figure


def _draw_line(axes: Axes, points: list[tuple[float, float, Interval]], name: str, colour: str, marker: str) -> None:
    """A band, and a line through the scores; one size alone has a bar for its interval."""
    sizes = [n for n, _, _ in points]
    scores = [100 * score for _, score, _ in points]
    low, high = ([100 * end for end in ends] for ends in zip(*((i.low, i.high) for _, _, i in points), strict=True))
    axes.plot(sizes, scores, color=colour, marker=marker, markersize=4.5, linewidth=1.6, label=name, clip_on=False)
    if len(points) > 1:
        axes.fill_between(sizes, low, high, color=colour, alpha=0.18, linewidth=0)
    else:
        axes.vlines(sizes, low, high, color=colour, linewidth=1.6)


def _scale(axes: Axes, sizes: list[int]) -> None:
    """Sizes by their ratio, each with its number."""
    axes.set_xscale("log")
    axes.set_xlim(sizes[0] / 1.12, sizes[-1] * 1.12)
    axes.xaxis.set_major_locator(FixedLocator(sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(sizes, [str(n) for n in sizes])
    axes.set_xlabel("nodes")
    axes.grid(axis="y", color=style.PALE, linewidth=0.6)
    axes.set_axisbelow(True)


def _bottom(lines: Lines) -> float:
    """Where the scale of scores begins: at 0, or not far below the lowest where all are high."""
    lowest = min(level(each)[1].low for line in lines.values() for each in line for level in LEVELS.values())
    return max(0.0, 10 * (100 * lowest // 10 - 1)) if lowest > 0.5 else 0.0
