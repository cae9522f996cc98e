"""Models side by side: a panel per metric, a row per model, a bar for its interval."""

import os
from collections.abc import Sequence
from math import isfinite, nan
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from narlab.evaluation.comparison import Comparison
from narlab.evaluation.metrics import Metric
from narlab.report.pictures import style
from narlab.report.pictures.figures import new_figure, save

WIDTH, ROW, AXIS = 4.4, 0.32, 0.9  # inches: of a panel, of a model in it, of title and axis
LETTERS = 30  # of a model's name


def plot_comparison(comparisons: Sequence[Comparison], path: str | os.PathLike, *, title: str) -> Path:
    """Draw all comparisons into a PNG or SVG file: a panel for each metric on each data set."""
    return save(lambda: _figure(comparisons, title), path)


def _figure(comparisons: Sequence[Comparison], title: str) -> Figure:
    panels = [(found, metric) for found in comparisons for metric in next(iter(found.measured.values())).metrics]
    height = AXIS + ROW * max(len(found.measured) for found in comparisons)
    figure, grid = new_figure(len(panels), (WIDTH, height), title)
    for axes, (found, metric) in zip(grid, panels, strict=True):
        _draw(axes, found, metric)
    return figure


def _draw(axes: Axes, found: Comparison, metric: Metric) -> None:
    """Filled is what no other model is better than, but for chance."""
    beaten = {each.worse for each in found.differences if each.metric is metric and not each.is_chance}
    scale = 100 if metric.is_share else 1
    for row, (name, measurement) in enumerate(found.measured.items()):
        interval = measurement.intervals[metric.name]
        numbers = (interval.low, measurement.scores[metric.name], interval.high)
        low, value, high = (scale * number if isfinite(number) else nan for number in numbers)  # nan is not drawn
        axes.hlines(row, low, high, color=style.BLUE, linewidth=1.8)
        axes.plot(value, row, "o", color=style.BLUE, mfc=style.WHITE if name in beaten else style.BLUE)
    axes.set_yticks(range(len(found.measured)), _labels(list(found.measured)))
    axes.set_ylim(len(found.measured) - 0.5, -0.5)
    axes.grid(axis="x", color=style.PALE, linewidth=0.6)
    axes.set_axisbelow(True)
    description = measurement.description
    axes.set_title(f"{metric.title.replace(' %', ', %')}, n={description.n}", fontsize=9)


def _labels(names: Sequence[str]) -> list[str]:
    """The last parts of folders where they tell them apart, and the ends of long ones."""
    last = [Path(name).name for name in names]
    chosen = last if len(set(last)) == len(last) else names
    return [name if len(name) <= LETTERS else f"…{name[1 - LETTERS :]}" for name in chosen]
