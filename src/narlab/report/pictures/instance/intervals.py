"""Activities as intervals on a line of time."""

from functools import partial

import numpy as np
from matplotlib.axes import Axes

from narlab.report.pictures import style
from narlab.report.pictures.instance.bars import COLOURS, verdict_entries
from narlab.report.pictures.instance.panel import Entries, Panel
from narlab.report.pictures.instance.sample import Sample, Verdict


def input_panel(sample: Sample) -> Panel:
    return Panel("input: activities from s to f", *_size(sample), partial(_draw_input, sample))


def output_panel(sample: Sample) -> Panel:
    (name,) = sample.outputs
    return Panel(f"{sample.called(name)}: activities that don't overlap", *_size(sample), partial(_draw_output, sample))


def mark_defects(sample: Sample, axes: Axes) -> None:
    """A mark at the left end of each activity's row."""
    at = np.flatnonzero(np.isin(_by_finish(sample), sample.defective_nodes))
    left = axes.get_yaxis_transform()
    axes.plot(np.zeros(len(at)), at, transform=left, **style.RINGS)


def _by_finish(sample: Sample) -> np.ndarray:
    return np.argsort(np.asarray(sample.given("f")), kind="stable")


def _size(sample: Sample) -> tuple[float, float]:
    return 4.6, max(2.0, min(0.24 * sample.nodes, 10) + 0.5)


def _draw_input(sample: Sample, axes: Axes) -> Entries:
    _draw_intervals(axes, sample, np.arange(sample.nodes), np.full(sample.nodes, Verdict.PLAIN))
    axes.set_ylabel("node")
    return []


def _draw_output(sample: Sample, axes: Axes) -> Entries:
    (name,) = sample.outputs
    found = sample.verdicts(name)
    finish = np.asarray(sample.given("f"))
    for time in finish[found == Verdict.RIGHT]:
        axes.axvline(time, color=style.MARKED, linewidth=0.6, linestyle=(0, (2, 2)), zorder=0)
    _draw_intervals(axes, sample, _by_finish(sample), found)
    axes.set_ylabel("node, by finish f")
    return verdict_entries(name, found)


def _draw_intervals(axes: Axes, sample: Sample, order: np.ndarray, found: np.ndarray) -> None:
    """One row per node in this order, the first on top."""
    start, finish = np.asarray(sample.given("s")), np.asarray(sample.given("f"))
    for row, v in enumerate(order):
        bar = axes.barh(row, finish[v] - start[v], left=start[v], height=0.62, color=COLOURS[found[v]])[0]
        if found[v] is Verdict.MISSED:
            bar.set(edgecolor=style.WRONG, linestyle=style.DASHES, linewidth=1.4)
    step = 1 if sample.nodes <= 40 else 4
    axes.set_yticks(range(0, sample.nodes, step), [str(v) for v in order[::step]])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(sample.nodes - 0.4, -0.6)
    axes.set_xlabel("time")
