"""Numbers as bars: arrays to sort or search, dimensions, probabilities, penalties with deadlines."""

from collections.abc import Callable
from functools import partial

import numpy as np
from matplotlib.axes import Axes

from narlab.report.pictures import style
from narlab.report.pictures.instance.panel import Entries, Panel
from narlab.report.pictures.instance.sample import Sample, Verdict, has, verdicts
from narlab.specs import Location, Type

WRITTEN = 17  # nodes up to which values are written
ALL_TICKS = 32  # nodes up to which every index is written
SERIES = (style.PLAIN, style.SKY)
COLOURS = {
    Verdict.PLAIN: style.PLAIN,
    Verdict.RIGHT: style.MARKED,
    Verdict.WRONG: style.WRONG,
    Verdict.MISSED: style.WHITE,
}


def input_panel(sample: Sample) -> Panel:
    names = [probe.name for probe in sample.algorithm.inputs if probe.name != "pos"]
    return Panel(f"input: {' and '.join(names)}", *_size(sample), partial(_draw_input, sample))


def output_panel(sample: Sample) -> Panel:
    """The sorted order, or the marked bars."""
    names = [probe.name for probe in sample.algorithm.outputs]
    if has(sample, Location.NODE, Type.POINTER):
        title, draw = f"{sample.called(names[0])}: the sorted order", _draw_sorted
    else:
        title, draw = f"{sample.called(' to '.join(names))}: {_marked(sample, names)}", _draw_marked
    return Panel(title, *_size(sample), partial(draw, sample))


def mark_defects(sample: Sample, axes: Axes) -> None:
    """A mark at the foot of each bar."""
    foot = axes.get_xaxis_transform()
    at = np.flatnonzero(np.isin(_shown_order(sample), sample.defective_nodes))
    axes.plot(at, np.zeros(len(at)), transform=foot, **style.RINGS)


def _shown_order(sample: Sample) -> np.ndarray:
    """The nodes from left to right where they are marked: in the output, or where that has no bars in the input."""
    if name := has(sample, Location.NODE, Type.POINTER):
        return _sorted(sample.true(name))
    if _labels(sample) and all(probe.location is Location.NODE for probe in sample.algorithm.outputs):
        return np.argsort(-np.asarray(sample.given(_series(sample)[0])), kind="stable")
    return np.arange(sample.nodes)


def _marked(sample: Sample, names: list[str]) -> str:
    """Which nodes are marked, where these are few."""
    if has(sample, Location.NODE, Type.MASK):
        return "marked nodes"
    shown, true = (" to ".join(str(int(values(name))) for name in names) for values in (sample.shown, sample.true))
    return f"{'node' if len(names) == 1 else 'nodes'} {shown}" + ("" if shown == true else f", true {true}")


def _size(sample: Sample) -> tuple[float, float]:
    return max(4.2, min(0.36 * sample.nodes, 9)), 2.8


def _draw_input(sample: Sample, axes: Axes) -> Entries:
    series = _series(sample)
    order = np.arange(sample.nodes)
    _draw_bars(axes, sample, order, [SERIES[k % 2] for k in range(len(series)) for _ in order])
    axes.set_xlabel("node")
    entries: Entries = []
    if len(series) > 1:
        entries = [(name, style.swatch(SERIES[k % 2])) for k, name in enumerate(series)]
    return entries + _draw_target(axes, sample)


def _draw_sorted(sample: Sample, axes: Axes) -> Entries:
    (name,) = sample.outputs
    shown, right = sample.shown(name), sample.right(name)
    order = _shown_order(sample)
    _draw_bars(axes, sample, order, [style.MARKED if right[v] else style.WRONG for v in order])
    axes.set_xlabel("node, in sorted order")
    if right.all():
        return []
    entries: Entries = [("right", style.swatch(style.MARKED))] if right.any() else []
    if sample.nodes > ALL_TICKS:
        return [*entries, ("wrong", style.swatch(style.WRONG))]
    axes.set_xticks(range(len(order)), [f"{v}" if right[v] else f"{v}\n→{shown[v]}" for v in order])
    for label, v in zip(axes.get_xticklabels(), order, strict=True):
        label.set_color(style.INK if right[v] else style.WRONG)
    return [*entries, ("→k: wrong, predicted to follow k", style.swatch(style.WRONG))]


def _draw_marked(sample: Sample, axes: Axes) -> Entries:
    names = [probe.name for probe in sample.algorithm.outputs]
    found = verdicts(_marks(sample, sample.true), _marks(sample, sample.shown))
    order = _shown_order(sample)
    axes.set_xlabel(f"node, by {_series(sample)[0]}" if _labels(sample) else "node")
    _draw_bars(axes, sample, order, [COLOURS[found[v]] for v in order], [found[v] is Verdict.MISSED for v in order])
    return verdict_entries(" to ".join(names), found) + _draw_target(axes, sample)


def verdict_entries(name: str, found: np.ndarray) -> Entries:
    """The legend of boxes that are marked, rightly or not."""
    entries: Entries = [(name, style.swatch(style.MARKED))] if (found == Verdict.RIGHT).any() else []
    if (found == Verdict.WRONG).any():
        entries.append(("wrongly marked", style.swatch(style.WRONG)))
    if (found == Verdict.MISSED).any():
        entries.append(("missed", style.outline(style.WRONG)))
    return entries


def _marks(sample: Sample, values: Callable[[str], np.ndarray]) -> np.ndarray:
    """The marked nodes, [N]: those of a mask, the one of a mask_one, or all from the first mask_one to the second."""
    names = [probe.name for probe in sample.algorithm.outputs]
    if has(sample, Location.NODE, Type.MASK):
        return values(names[0]) == 1
    ends = [int(values(name)) for name in names]
    marks = np.zeros(sample.nodes, bool)
    marks[ends] = True
    marks[ends[0] : ends[-1] + 1] = True
    return marks


def _sorted(predecessor: np.ndarray) -> np.ndarray:
    """The nodes in order, from each node's predecessor; the first one's is itself."""
    following = {int(p): v for v, p in enumerate(predecessor) if p != v}
    order = [int(np.flatnonzero(predecessor == np.arange(len(predecessor)))[0])]
    while order[-1] in following:
        order.append(following[order[-1]])
    return np.array(order)


def _series(sample: Sample) -> list[str]:
    """The inputs that are drawn as bars: real numbers of nodes."""
    return [
        probe.name
        for probe in sample.algorithm.inputs
        if probe.location is Location.NODE and probe.dtype == "float64" and probe.name != "pos"
    ]


def _labels(sample: Sample) -> list[str]:
    """The inputs that are written onto the bars: integers of nodes."""
    scalars = (probe for probe in sample.algorithm.inputs if probe.location is Location.NODE)
    return [probe.name for probe in scalars if probe.type is Type.SCALAR and probe.dtype != "float64"]


def _draw_bars(
    axes: Axes, sample: Sample, order: np.ndarray, colours: list[str], dashed: list[bool] | None = None
) -> None:
    """One bar per node and series, in this order, with values and integers written above."""
    series = _series(sample)
    width = 0.8 / len(series)
    for k, name in enumerate(series):
        heights = np.asarray(sample.given(name), float)[order]
        at = np.arange(len(order)) + (k - (len(series) - 1) / 2) * width
        drawn = axes.bar(at, heights, width, color=colours[k * len(order) : (k + 1) * len(order)])
        for bar, is_dashed in zip(drawn, dashed or [], strict=False):
            if is_dashed:
                bar.set(edgecolor=style.WRONG, linestyle=style.DASHES, linewidth=1.4)
        if len(order) <= WRITTEN:
            _write_values(axes, at, heights, upright=len(series) > 1)
    _write_labels(axes, sample, order)
    if np.any([np.asarray(sample.given(name)) < 0 for name in series]):
        axes.axhline(0, color=style.INK, linewidth=0.8)
        axes.spines["bottom"].set_visible(False)
    step = 1 if len(order) <= ALL_TICKS else 4
    axes.set_xticks(range(0, len(order), step), [str(v) for v in order[::step]])
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.7, len(order) - 0.3)
    axes.margins(y=0.12)
    axes.set_ylabel(" and ".join(series))


def _write_values(axes: Axes, at: np.ndarray, heights: np.ndarray, *, upright: bool) -> None:
    decimals = 2 if np.abs(heights).max() > 0.2 else 3
    for x, height in zip(at, heights, strict=True):
        axes.annotate(
            f"{height:.{decimals}f}",
            (x, height),
            xytext=(0, 2 if height >= 0 else -2),
            textcoords="offset points",
            ha="center",
            va="bottom" if height >= 0 else "top",
            rotation=90 if upright else 0,
            fontsize=6.5,
        )


def _write_labels(axes: Axes, sample: Sample, order: np.ndarray) -> None:
    """Integers of nodes, such as deadlines, in a row above the picture."""
    for k, name in enumerate(_labels(sample)):
        values = np.asarray(sample.given(name))[order]
        above = axes.get_xaxis_transform()
        axes.text(-0.9, 1.04 + 0.07 * k, f"{name}:", transform=above, ha="right", va="center", fontsize=8)
        for x, value in enumerate(values):
            fontsize = style.by_size(sample.nodes, 8, 4)
            axes.text(x, 1.04 + 0.07 * k, str(int(value)), transform=above, ha="center", va="center", fontsize=fontsize)


def _draw_target(axes: Axes, sample: Sample) -> Entries:
    """A line at each number that belongs to the whole instance; returns its entry of the legend."""
    names = [probe.name for probe in sample.algorithm.inputs if probe.location is Location.GRAPH]
    for name in names:
        axes.axhline(float(sample.given(name)), color=style.SPECIAL, linewidth=1.8, linestyle=(0, (4, 2)))
    return [
        (f"{name} {float(sample.given(name)):.2f}", style.stroke(style.SPECIAL, width=1.8, style=(0, (4, 2))))
        for name in names
    ]
