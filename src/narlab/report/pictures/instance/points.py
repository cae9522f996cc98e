"""Points of the plane: a scatter with its hull, or two segments."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes

from narlab.common.node_layout import spread
from narlab.report.pictures import style
from narlab.report.pictures.instance.panel import Entries, Panel
from narlab.report.pictures.instance.sample import Sample, Verdict, has
from narlab.specs import Location, Type

SEGMENTS = ((0, 1), (2, 3))


def input_panel(sample: Sample) -> Panel:
    if has(sample, Location.GRAPH, Type.MASK):
        return Panel("input: segments 0 to 1 and 2 to 3", *_size(sample), partial(_draw_segments, sample))
    return Panel("input: points (x, y)", *_size(sample), partial(_draw_input, sample))


def output_panel(sample: Sample) -> Panel:
    """Whether the segments cross, or the hull of the points."""
    (name,) = sample.outputs
    if has(sample, Location.GRAPH, Type.MASK):
        answer = "they cross" if sample.shown(name) else "they don't cross"
        return Panel(f"{sample.called(name)}: {answer}", *_size(sample), partial(_draw_crossing, sample))
    return Panel(f"{sample.called(name)}: corners of the convex hull", *_size(sample), partial(_draw_hull, sample))


def mark_defects(sample: Sample, axes: Axes) -> None:
    """A halo around each point."""
    places = _places(sample)[sample.defective_nodes]
    size = 4 * style.by_size(sample.nodes, 42, 20)
    axes.scatter(places[:, 0], places[:, 1], s=size, c="none", edgecolors=style.DEFECT, linewidths=2, zorder=2.9)


def _size(sample: Sample) -> tuple[float, float]:
    side = 3.6 if sample.nodes <= 8 else style.by_size(sample.nodes, 4.2, 5.6)
    return side + 0.5, side


def _draw_input(sample: Sample, axes: Axes) -> Entries:
    _draw_points(axes, sample, np.full(sample.nodes, Verdict.PLAIN))
    return []


def _draw_segments(sample: Sample, axes: Axes) -> Entries:
    for k, segment in enumerate(SEGMENTS):
        axes.plot(*_places(sample)[list(segment)].T, color=(style.SKY, style.PURPLE)[k], linewidth=2.4, zorder=1)
    return _draw_input(sample, axes)


def _draw_crossing(sample: Sample, axes: Axes) -> Entries:
    (name,) = sample.outputs
    crosses, right = bool(sample.shown(name)), bool(sample.right(name))
    colour = style.WRONG if not right else style.MARKED if crosses else style.GREY
    for segment in SEGMENTS:
        axes.plot(*_places(sample)[list(segment)].T, color=colour, linewidth=2.4, zorder=1)
    _draw_points(axes, sample, np.full(sample.nodes, Verdict.PLAIN))
    return [(f"{name} = {int(crosses)}" + ("" if right else ", which is wrong"), style.stroke(colour))]


def _draw_hull(sample: Sample, axes: Axes) -> Entries:
    """The corners and the polygon through them; where it is not the true one, that one dashed."""
    (name,) = sample.outputs
    found, right = sample.verdicts(name), sample.right(name).all()
    true, shown = _polygon(sample, sample.true(name)), _polygon(sample, sample.shown(name))
    axes.fill(*true.T, facecolor=style.tint(style.SKY, 0.15), zorder=0)
    if not right:
        axes.plot(*true.T, color=style.MARKED, linewidth=1.2, linestyle=style.DASHES, zorder=1)
    axes.plot(*shown.T, color=style.MARKED if right else style.WRONG, linewidth=1.6, zorder=1)
    _draw_points(axes, sample, found, lines=(true, shown))
    entries: Entries = [(f"{name} = 1", style.disc(style.MARKED)), (f"{name} = 0", style.disc(style.PLAIN))]
    if (found == Verdict.WRONG).any():
        entries.append(("wrongly marked", style.disc(style.WRONG)))
    if (found == Verdict.MISSED).any():
        entries.append(("missed", style.disc(style.WHITE, edge=style.WRONG, width=2)))
    if not right:
        entries.append(("true hull", style.stroke(style.MARKED, width=1.2, style=style.DASHES)))
    return entries


def _polygon(sample: Sample, marks: np.ndarray) -> np.ndarray:
    """The marked points in the order of their angle around their middle, closed, [K + 1, 2]."""
    corners = _places(sample)[marks == 1]
    if not len(corners):
        return corners
    x, y = (corners - corners.mean(axis=0)).T
    corners = corners[np.argsort(np.arctan2(y, x), kind="stable")]
    return np.vstack([corners, corners[:1]])


def _places(sample: Sample) -> np.ndarray:
    return np.stack([sample.given("x"), sample.given("y")], axis=1)


def _draw_points(axes: Axes, sample: Sample, found: np.ndarray, lines: Sequence[np.ndarray] = ()) -> None:
    """Points with their indices beside, where there is room between points and `lines`, [K, 2] each."""
    places = _places(sample)
    faces = {Verdict.RIGHT: style.MARKED, Verdict.WRONG: style.WRONG, Verdict.MISSED: style.WHITE}
    axes.scatter(
        places[:, 0],
        places[:, 1],
        s=style.by_size(sample.nodes, 42, 20),
        c=[faces.get(verdict, style.PLAIN) for verdict in found],
        edgecolors=[style.WRONG if verdict is Verdict.MISSED else style.INK for verdict in found],
        linewidths=[1.8 if verdict is Verdict.MISSED else 0.8 for verdict in found],
        zorder=3,
    )
    reach = max(np.ptp(places, axis=0).max(), 1e-9)
    _write_indices(axes, places, reach, lines)
    middle = (places.max(axis=0) + places.min(axis=0)) / 2
    axes.set(xlim=middle[0] + np.array([-0.58, 0.58]) * reach, ylim=middle[1] + np.array([-0.58, 0.58]) * reach)
    axes.set(aspect="equal", xlabel="x", ylabel="y")


def _write_indices(axes: Axes, places: np.ndarray, reach: float, lines: Sequence[np.ndarray]) -> None:
    turn = np.linspace(0, 2 * np.pi, 16, endpoint=False) + np.pi / 2
    around = style.by_size(len(places), 0.048, 0.03) * reach * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    candidates = [place + around for place in places]
    shares = np.linspace(0, 1, 30)[:, None]
    ends = [pair for line in lines for pair in pairwise(line)]
    taken = np.vstack([places, *(start + shares * (end - start) for start, end in ends)])
    fontsize = style.by_size(len(places), 8, 5)
    for v, best in enumerate(spread(candidates, taken, (0.055 * reach, 0.045 * reach))):
        x, y = candidates[v][best]
        axes.text(x, y, str(v), ha="center", va="center", fontsize=fontsize, zorder=4)
