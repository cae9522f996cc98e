"""Where the nodes of graph drawings are put: alike in graphs that differ by a few edges, and groups apart."""

from collections.abc import Sequence

import networkx as nx
import numpy as np

from narlab.common.errors import unknown
from narlab.common.node_layout import node_positions
from narlab.experiments.declaring.outcome import GraphPanel
from narlab.report.pictures.style import by_size

LAYOUTS = ("spring", "ring")
ALIKE = 0.2  # share of edges by which two graphs may differ and still have their nodes in the same places
JOINED = 0.15  # share of edges between groups, if there are any, up to which these are drawn apart
SPARSE = 1.8  # edges per node up to which springs show a graph well
CLOSEST = 0.12  # between two nodes, where the picture is 2 wide
APART = 0.8  # between two groups, where each is 2 wide
Pairs = frozenset[frozenset[int]]


def places_of(panels: Sequence[GraphPanel]) -> list[np.ndarray]:
    """A place in [-1, 1] x [-1, 1] for each node of each panel, [N, 2]."""
    found: list[np.ndarray] = []
    pairs = [_pairs(panel) for panel in panels]
    for panel, own in zip(panels, pairs, strict=True):
        if panel.positions is not None:
            found.append(_fitted(np.array(panel.positions, float).reshape(-1, 2)))
        elif panel.layout == "ring":
            found.append(_ring(panel.n))
        elif panel.layout == "spring":
            alike = [other for mate, other in zip(panels, pairs, strict=True) if _are_alike(panel, own, mate, other)]
            found.append(_springs(panel, frozenset().union(*alike)))
        else:
            raise unknown("layout", panel.layout, LAYOUTS)
    return found


def _pairs(panel: GraphPanel) -> Pairs:
    """The connected pairs, marked ones included: a missing edge must have its place, too."""
    return frozenset(frozenset(pair) for pair in (*panel.edges, *panel.marked) if pair[0] != pair[1])


def _are_alike(panel: GraphPanel, own: Pairs, mate: GraphPanel, other: Pairs) -> bool:
    same = panel.n == mate.n and panel.groups == mate.groups
    return same and len(own ^ other) <= ALIKE * len(own | other)


def _ring(nodes: int) -> np.ndarray:
    """By index, clockwise from the top."""
    angles = np.pi / 2 - 2 * np.pi * np.arange(nodes) / max(nodes, 1)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _springs(panel: GraphPanel, pairs: Pairs) -> np.ndarray:
    if not pairs:
        return _ring(panel.n)
    matrix = np.zeros((panel.n, panel.n), bool)
    for u, v in map(sorted, pairs):
        matrix[u, v] = matrix[v, u] = True
    groups = np.array(panel.groups if panel.groups is not None else [0] * panel.n)
    joins = matrix & (groups[:, None] != groups)
    if 0 < joins.sum() <= JOINED * matrix.sum():
        return _fitted(_beside_each_other(groups, joins))
    return _sparse(matrix) if matrix.sum() <= 2 * SPARSE * panel.n else node_positions(matrix)


def _beside_each_other(groups: np.ndarray, joins: np.ndarray) -> np.ndarray:
    """Each group on a ring of its own, by index, but nodes joined to other groups on the side of these."""
    names = sorted(set(groups.tolist()))
    places = np.zeros((len(groups), 2))
    for k, name in enumerate(names):
        own = np.flatnonzero(groups == name)
        joined = sorted((v for v in own if joins[v].any()), key=lambda v: (min(v, joins[v].argmax()), v))
        others = [v for v in own if not joins[v].any()]
        to_the_right = k < len(names) / 2
        order = np.array([*joined, *others] if to_the_right else [*joined[::-1], *others])
        middle = 0.0 if to_the_right else np.pi
        angles = middle - 2 * np.pi * (np.arange(len(own)) - (len(joined) - 1) / 2) / len(own)
        places[order] = np.stack([np.cos(angles), np.sin(angles)], axis=1) + np.array([k * (2 + APART), 0])
    return places


def _sparse(matrix: np.ndarray) -> np.ndarray:
    """The largest component by springs, nodes pushed apart; the others below each other on its right."""
    graph = nx.from_numpy_array(matrix)
    parts = sorted(map(sorted, nx.connected_components(graph)), key=lambda part: (-len(part), part))
    places = np.zeros((len(matrix), 2))
    rooms = [0.0, *(by_size(len(matrix), 0.3, 0.17) * np.sqrt(len(part)) for part in parts[1:])]  # heights
    for part, room, bottom in zip(parts, rooms, sum(rooms) - np.cumsum(rooms), strict=True):
        found = nx.kamada_kawai_layout(graph.subgraph(part)) if len(part) > 1 else {part[0]: np.zeros(2)}
        alone = _lying(np.array([found[v] for v in part]))
        if part is parts[0]:
            places[part] = _pushed_apart(_fitted(alone), CLOSEST)
        else:
            middle = np.array([1.25, bottom + (room - sum(rooms)) / 2])
            places[part] = middle + 0.3 * room * _fitted(alone)[:, ::-1]  # upright
    return _fitted(places)


def _lying(places: np.ndarray) -> np.ndarray:
    """Turned so that the longest side is level."""
    middle = places - places.mean(axis=0)
    turn = np.linalg.svd(middle, full_matrices=True)[2]
    return middle @ (turn * np.sign(turn[np.arange(2), np.abs(turn).argmax(axis=1)])[:, None]).T


def _pushed_apart(places: np.ndarray, least: float) -> np.ndarray:
    """Nodes that are closer than `least` moved away from each other until none is, or nearly so."""
    for _ in range(100):
        apart = places[:, None] - places  # [N, N, 2]
        length = np.linalg.norm(apart, axis=-1) + 9 * np.eye(len(places))
        short = np.clip(least - length, 0, None)
        if not short.any():
            break
        places = places + (apart / np.maximum(length, 1e-9)[..., None] * short[..., None] / 2).sum(axis=1)
    return places


def _fitted(places: np.ndarray) -> np.ndarray:
    """Moved and scaled into [-1, 1] x [-1, 1], the shape kept."""
    if not len(places):
        return places
    places = places - (places.max(axis=0) + places.min(axis=0)) / 2
    return places / max(np.abs(places).max(), 1e-9)
