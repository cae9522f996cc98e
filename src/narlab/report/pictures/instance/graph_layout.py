"""A graph in its place on the page: its nodes, edges, arrows and weights."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import FancyArrowPatch

from narlab.common.node_layout import node_positions, spread
from narlab.report.pictures import style
from narlab.report.pictures.instance.sample import Sample

LABELLED = 16  # nodes up to which weights are written
PAD = 0.2  # around the nodes, where 2 is the picture's longer side
Pair = tuple[int, int]


@dataclass(frozen=True)
class Graph:
    """The graph of a sample, laid out."""

    sample: Sample

    @cached_property
    def weights(self) -> np.ndarray:
        return np.asarray(self.sample.given("A"))

    @cached_property
    def edges(self) -> np.ndarray:
        """Where there is an edge, [N, N], self-loops left out."""
        return (self.weights != 0) & ~np.eye(self.sample.nodes, dtype=bool)

    @cached_property
    def is_directed(self) -> bool:
        declared = getattr(self.sample.algorithm.sampler, "directed", False)
        return declared or not np.array_equal(self.edges, self.edges.T)

    @cached_property
    def is_weighted(self) -> bool:
        return not np.isin(self.weights, (0, 1)).all()

    @cached_property
    def source(self) -> int | None:
        return int(self.sample.given("s")) if "s" in self.sample.inputs else None

    @cached_property
    def pairs(self) -> list[Pair]:
        """The connected pairs u < v, each once."""
        return [(int(u), int(v)) for u, v in np.argwhere(np.triu(self.edges | self.edges.T))]

    @cached_property
    def places(self) -> np.ndarray:
        return node_positions(self.edges)

    @property
    def radius(self) -> float:
        """Of a node, in points."""
        return style.by_size(self.sample.nodes, 10, 5)

    @property
    def beside(self) -> float:
        """How far from a node's middle a text beside it stands."""
        return 1.95 * self.radius / 72 / self._inch

    @property
    def _inch(self) -> float:
        """Inches that one unit of the places takes."""
        nodes = self.sample.nodes
        side = 2.8 if nodes <= 4 else 4.4 if nodes <= 8 else style.by_size(nodes, 5.8, 8.5)
        return side / (2 + 2 * PAD)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        wide, high = (np.ptp(self.places, axis=0) + 2 * PAD) * self._inch
        return max(float(wide), 3.6), max(float(high), 0.8)

    def along(self, pair: Pair, shares: np.ndarray) -> np.ndarray:
        """Places on an edge, [K, 2]."""
        start, end = self.places[pair[0]], self.places[pair[1]]
        return start + shares[:, None] * (end - start)

    def draw_edges(self, axes: Axes, pairs: Iterable[Pair], colour: str) -> None:
        """The graph's own edges; arrows where it is directed, with two heads where both directions exist."""
        width = min(0.9, 10 / np.sqrt(len(self.pairs) + 1))
        if not self.is_directed:
            return self.draw_lines(axes, pairs, colour, width=width)
        for u, v in pairs:
            forth, back = self.edges[u, v], self.edges[v, u]
            heads = "<|-|>" if forth and back else "-|>" if forth else "<|-"
            self.draw_arrow(axes, (u, v), colour, width=width, heads=heads)
        return None

    def draw_lines(
        self, axes: Axes, pairs: Iterable[Pair], colour: str, *, width: float, dashes: style.Dashes = style.SOLID
    ) -> None:
        lines = [self.places[list(pair)] for pair in pairs]
        axes.add_collection(LineCollection(lines, colors=colour, linewidths=width, linestyles=[dashes], zorder=1))

    def draw_arrow(
        self,
        axes: Axes,
        pair: Pair,
        colour: str,
        *,
        width: float,
        heads: str = "-|>",
        dashes: style.Dashes = style.SOLID,
    ) -> FancyArrowPatch:
        """An arrow from node to node; where the graph has no such edge, bent towards the middle of the picture."""
        (x, y), (to_x, to_y) = start, end = self.places[list(pair)]
        inward = 1 if (to_y - y) * (x + to_x) - (to_x - x) * (y + to_y) <= 0 else -1
        is_edge = self.edges[pair] or self.edges[pair[::-1]]
        arrow = FancyArrowPatch(
            tuple(start),
            tuple(end),
            arrowstyle=heads,
            connectionstyle=f"arc3,rad={0 if is_edge else 0.2 * inward}",
            mutation_scale=5 + 3 * width,
            shrinkA=self.radius,
            shrinkB=self.radius,
            color=colour,
            linewidth=width,
            linestyle=dashes,
            zorder=1 + width / 10,
        )
        axes.add_patch(arrow)
        return arrow

    def draw_weights(self, axes: Axes, pairs: list[Pair]) -> None:
        """The weights of these edges, written along them; only in small graphs."""
        if not self.is_weighted or self.sample.nodes > LABELLED:
            return
        shares = 0.5 + np.array([0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6]) * 0.05
        candidates = [self.along(pair, shares) for pair in pairs]
        chosen = spread(candidates, self.places, (0.12, 0.12))
        for (u, v), places, best in zip(pairs, candidates, chosen, strict=True):
            x, y = self.places[v] - self.places[u]
            axes.text(
                places[best, 0],
                places[best, 1],
                f"{self.weights[u, v] or self.weights[v, u]:.2f}",
                rotation=(np.degrees(np.arctan2(y, x)) + 90) % 180 - 90,
                rotation_mode="anchor",
                ha="center",
                va="center",
                fontsize=6.5,
                bbox={"boxstyle": "square,pad=0.08", "facecolor": style.WHITE, "edgecolor": "none"},
                zorder=2,
            )

    def draw_defects(self, axes: Axes) -> None:
        """A halo around each node, and a broad line behind each arc, that makes the answer invalid."""
        x, y = self.places[self.sample.defective_nodes].T
        size = (2 * self.radius + 8) ** 2
        axes.scatter(x, y, s=size, c="none", edgecolors=style.DEFECT, linewidths=2, zorder=2.9)
        for u, v in self.sample.defective_edges:
            if u != v:
                broad = self.draw_arrow(axes, (v, u), style.tint(style.DEFECT, 0.5), width=7, heads="-")
                broad.set_zorder(0.5)

    def draw_nodes(
        self,
        axes: Axes,
        fills: Mapping[int, str] | None = None,
        *,
        rings: np.ndarray | None = None,
        bold: Iterable[int] = (),
    ) -> None:
        """Discs with the nodes' indices; the source has a colour of its own, wrong ones get `rings`."""
        nodes, bold = range(self.sample.nodes), set(bold)
        wrong = set() if rings is None else set(np.flatnonzero(rings).tolist())
        colours = {} if self.source is None else {self.source: style.SPECIAL}
        faces = [(colours | dict(fills or {})).get(v, style.WHITE) for v in nodes]
        axes.scatter(
            self.places[:, 0],
            self.places[:, 1],
            s=(2 * self.radius) ** 2,
            c=faces,
            edgecolors=[style.WRONG if v in wrong else style.INK for v in nodes],
            linewidths=[2.4 if v in wrong or v in bold else 0.9 for v in nodes],
            zorder=3,
        )
        size = style.by_size(len(nodes), 9, 5)
        for v, (x, y) in enumerate(self.places):
            text = style.on(faces[v])
            axes.text(x, y, str(v), ha="center", va="center_baseline", fontsize=size, color=text, zorder=4)
        low, high = self.places.min(axis=0) - PAD, self.places.max(axis=0) + PAD
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        axes.set_axis_off()
