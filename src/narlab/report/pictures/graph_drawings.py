"""Graphs drawn beside each other: groups of nodes by colour and shape, marked edges bold, missing ones dashed."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import cycle

import numpy as np
from matplotlib import style as matplotlib_style
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from narlab.experiments.declaring.outcome import Drawing, GraphPanel
from narlab.report.pictures import style
from narlab.report.pictures.figures import PANEL_TITLE_SIZE, columns_of, new_figure
from narlab.report.pictures.graph_places import places_of

SHAPES = {"o": 1.0, "s": 0.78, "h": 1.1, "D": 0.7, "8": 1.0, "p": 1.15}  # and how large they look at one size
MARK = style.VERMILLION
WIDTHS = {1: 3.9, 2: 3.4, 3: 2.3}  # inches of a panel, by how many stand beside each other
LARGE = 6.0  # inches of a panel that stands alone, with a large graph
MARGIN = 3  # points around the outermost nodes
NAMED = 32  # nodes up to which they show their indices
BEND = 0.22  # of arrows there and back between two nodes
Pair = tuple[int, int]


def figure(drawing: Drawing) -> Figure:
    """The drawing; panels whose graphs differ by a few edges have their nodes in the same places."""
    places = places_of(drawing.panels)
    width = WIDTHS[columns_of(len(drawing.panels))]
    if len(drawing.panels) == 1:
        width = style.by_size(drawing.panels[0].n, width, LARGE)
    graphs = [_Graph(panel, where, width) for panel, where in zip(drawing.panels, places, strict=True)]
    tallest = max((graph.height for graph in graphs), default=width)
    with matplotlib_style.context(["default", style.SETTINGS]):
        made, areas = new_figure(len(drawing.panels), (width, tallest + 0.3), drawing.title)
        for graph, axes in zip(graphs, areas, strict=True):
            _draw(graph, axes)
    return made


@dataclass(frozen=True)
class _Graph:
    """A panel with the places of its nodes and its width in inches."""

    panel: GraphPanel
    places: np.ndarray
    width: float

    @property
    def pad(self) -> float:
        """Around the places, in their unit."""
        return (self.radius + MARGIN) / 72 * 2.3 / self.width

    @property
    def height(self) -> float:
        """In inches."""
        wide, high = np.ptp(self.places, axis=0) + 2 * self.pad if self.panel.n else (1.0, 1.0)
        return self.width * float(np.clip(high / wide, 0.3, 1.1))

    @property
    def names(self) -> tuple[str, ...]:
        """What is written into the nodes."""
        if self.panel.labels is not None:
            return self.panel.labels
        return tuple(str(v) if self.panel.n <= NAMED else "" for v in range(self.panel.n))

    @property
    def letters(self) -> int:
        """Of the longest line in a node."""
        return max((len(line) for name in self.names for line in name.split("\n")), default=0)

    @property
    def radius(self) -> float:
        """Of a node, in points: more where there are long labels."""
        alone = 9.5 if self.panel.n <= 8 else style.by_size(self.panel.n, 7.5, 3.5)
        return max(alone, 2.1 * self.letters + 2.5 if self.panel.n <= NAMED else 0)

    @property
    def fontsize(self) -> float:
        return min(8.5, 2.75 * self.radius / max(self.letters, 1), 0.95 * self.radius)

    def key(self, pair: Pair) -> Pair:
        """The same for both ways of an undirected edge."""
        return pair if self.panel.directed else (min(pair), max(pair))

    def distinct(self, pairs: Iterable[Pair]) -> list[Pair]:
        """Each edge once, self-loops left out."""
        return list(dict.fromkeys(self.key(pair) for pair in pairs if pair[0] != pair[1]))


def _draw(graph: _Graph, axes: Axes) -> None:
    edges, marked = graph.distinct(graph.panel.edges), graph.distinct(graph.panel.marked)
    plain = [pair for pair in edges if pair not in marked]
    there = {frozenset(pair) for pair in edges}
    present = [pair for pair in marked if frozenset(pair) in there]
    missing = [pair for pair in marked if frozenset(pair) not in there]
    bold = style.by_size(graph.panel.n, 2.2, 1.8)
    connect = _draw_arrows if graph.panel.directed else _draw_lines
    connect(graph, axes, plain, colour=_plain_colour(len(edges)), width=min(0.9, 9 / np.sqrt(len(edges) + 1)))
    connect(graph, axes, present, colour=MARK, width=bold)
    connect(graph, axes, missing, colour=MARK, width=0.8 * bold, dashes=style.DASHES)
    _draw_nodes(graph, axes)
    axes.set_title(graph.panel.title, fontsize=PANEL_TITLE_SIZE)
    if graph.panel.n:
        low, high = graph.places.min(axis=0) - graph.pad, graph.places.max(axis=0) + graph.pad
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    axes.set_axis_off()


def _plain_colour(edges: int) -> str:
    """Paler where there are many."""
    return style.GREY if edges <= 40 else style.tint(style.GREY, 0.7)


def _draw_lines(
    graph: _Graph, axes: Axes, pairs: list[Pair], *, colour: str, width: float, dashes: style.Dashes = style.SOLID
) -> None:
    lines = [graph.places[list(pair)] for pair in pairs]
    axes.add_collection(
        LineCollection(lines, colors=colour, linewidths=width, linestyles=[dashes], zorder=1 + width / 10)
    )


def _draw_arrows(
    graph: _Graph, axes: Axes, pairs: list[Pair], *, colour: str, width: float, dashes: style.Dashes = style.SOLID
) -> None:
    """Straight, but bent where an arrow runs the other way, too."""
    drawn = {*graph.panel.edges, *graph.panel.marked}
    for u, v in pairs:
        arrow = FancyArrowPatch(
            tuple(graph.places[u]),
            tuple(graph.places[v]),
            arrowstyle="-|>",
            connectionstyle=f"arc3,rad={BEND if (v, u) in drawn else 0}",
            mutation_scale=6 + 2.5 * width,
            shrinkA=graph.radius + 1,
            shrinkB=graph.radius + 1,
            color=colour,
            linewidth=width,
            linestyle=dashes,
            zorder=1 + width / 10,
        )
        axes.add_patch(arrow)


def _draw_nodes(graph: _Graph, axes: Axes) -> None:
    groups = graph.panel.groups or (0,) * graph.panel.n
    order = sorted(set(groups))
    faces = {name: style.GROUPS[k % len(style.GROUPS)] for k, name in enumerate(order)}
    if len(order) == 1:
        faces = {order[0]: style.WHITE}
    for name, (shape, share) in zip(order, cycle(SHAPES.items()), strict=False):
        own = [v for v in range(graph.panel.n) if groups[v] == name]
        axes.scatter(
            graph.places[own, 0],
            graph.places[own, 1],
            s=share * (2 * graph.radius) ** 2,
            c=faces[name],
            marker=shape,
            edgecolors=style.INK,
            linewidths=style.by_size(graph.panel.n, 0.9, 0.6),
            zorder=3,
        )
    for (x, y), text, group in zip(graph.places, graph.names, groups, strict=True):
        ink = style.on(faces[group])
        axes.text(x, y, text, ha="center", va="center_baseline", fontsize=graph.fontsize, color=ink, zorder=4)
