"""Where nodes and labels are put: deterministic, and so that they can be told apart."""

from collections.abc import Sequence
from functools import lru_cache

import networkx as nx
import numpy as np

MARGIN = 0.4  # around a component, in edges
DENSE = 0.4  # share of pairs beyond which springs aren't tried
SHORTER = 0.62  # how much shorter edges must get for nodes to leave the order of their indices
SMALL = 16  # nodes up to which they are drawn large
CLEARANCE = 0.11  # in a picture of width 2, between a node and an edge that is not its own


def node_positions(edges: np.ndarray) -> np.ndarray:
    """A place in [-1, 1] x [-1, 1] for each node, [N, 2], of the graph with these directed or undirected edges.

    A sparse graph is laid out by Kamada and Kawai's springs; where these put a node onto a foreign edge, as they do
    with dense graphs, all nodes are put on a circle instead, where this can't happen.
    """
    connected = (edges | edges.T) & ~np.eye(len(edges), dtype=bool)
    return _positions(connected.tobytes(), len(edges)).copy()


@lru_cache(maxsize=16)
def _positions(connected: bytes, nodes: int) -> np.ndarray:
    """Remembered, because a picture asks for its graph's layout once per panel, and springs take time."""
    matrix = np.frombuffer(connected, bool).reshape(nodes, nodes)
    if matrix.sum() < DENSE * nodes**2:
        graph = nx.from_numpy_array(matrix)
        springs = _packed([graph.subgraph(part) for part in nx.connected_components(graph)], nodes)
        if _is_clear(springs, graph):
            return springs
    return _on_circle(matrix)


def _on_circle(connected: np.ndarray) -> np.ndarray:
    """By index, clockwise from the top; or neighbours together, if that makes the edges a good deal shorter."""
    nodes = np.arange(len(connected))
    angles = np.pi / 2 - 2 * np.pi * nodes / len(nodes)
    by_index = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    together = np.zeros_like(by_index)
    together[_fiedler_order(connected)] = by_index
    lengths = [np.linalg.norm(places[:, None] - places, axis=-1)[connected].sum() for places in (by_index, together)]
    return together if lengths[1] < SHORTER * lengths[0] else by_index


def _fiedler_order(connected: np.ndarray) -> np.ndarray:
    """The nodes in the order of the Laplacian's second eigenvector, which puts neighbours near each other."""
    nudge = 1e-6 * np.diag(np.arange(len(connected)))  # so that no two orders are equally good
    fiedler = np.linalg.eigh(np.diag(connected.sum(axis=1)) - connected.astype(float) + nudge)[1][:, 1]
    return np.argsort((fiedler * np.sign(fiedler[np.abs(fiedler).argmax()])).round(9), kind="stable")


def _packed(parts: Sequence[nx.Graph], nodes: int) -> np.ndarray:
    """Components in rows, the largest first, edges about equally long."""
    boxes = [_box(part) for part in sorted(parts, key=lambda part: (-len(part), min(part)))]
    area = sum(corner[0] * corner[1] for _, corner in boxes)
    line = max(max(corner[0] for _, corner in boxes), np.sqrt(2.2 * area))
    places = np.zeros((nodes, 2))
    x, y, height = 0.0, 0.0, 0.0
    for found, (wide, high) in boxes:
        if x > 0 and x + wide > line + 1e-9:
            x, y, height = 0.0, y - height, 0.0
        for node, place in found.items():
            places[node] = place + np.array([x, y - high])
        x, height = x + wide, max(height, high)
    return _fitted(places)


def _box(part: nx.Graph) -> tuple[dict[int, np.ndarray], np.ndarray]:
    """Places of one component, lying flat, edges about 1 long, and the far corner of its box."""
    order = sorted(part)
    edges = nx.to_numpy_array(part, order) > 0
    springs = nx.kamada_kawai_layout(nx.from_numpy_array(edges))
    places = np.array([springs[k] for k in range(len(order))])
    if len(order) > 1:
        places = places - places.mean(axis=0)
        turn = np.linalg.svd(places)[2]
        places = places @ (turn * np.sign(turn[np.arange(2), np.abs(turn).argmax(axis=1)])[:, None]).T
        lengths = np.linalg.norm(places[:, None] - places, axis=-1)
        places = places / lengths[edges].mean()
    places = places - places.min(axis=0) + MARGIN
    return dict(zip(order, places, strict=True)), places.max(axis=0) + MARGIN


def _fitted(places: np.ndarray) -> np.ndarray:
    """Moved and scaled into [-1, 1] x [-1, 1], the shape kept."""
    places = places - (places.max(axis=0) + places.min(axis=0)) / 2
    return places / max(np.abs(places).max(), 1e-9)


def _is_clear(places: np.ndarray, graph: nx.Graph) -> bool:
    apart = np.linalg.norm(places[:, None] - places, axis=-1) + 9 * np.eye(len(places))
    clearance = CLEARANCE if len(places) <= SMALL else 0.4 * CLEARANCE  # nodes are drawn smaller there
    if apart.min() < 1.6 * clearance:
        return False
    if graph.number_of_edges() <= 1.5 * len(places) and len(places) > SMALL:
        return True  # a few edges behind nodes do less harm than a circle
    for u, v in graph.edges:
        others = [node for node in graph if node not in (u, v)]
        if others and segment_distances(places[others], places[u], places[v]).min() < clearance:
            return False
    return True


def segment_distances(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The distance of each of the points [K, 2] from a segment, [K]."""
    along = end - start
    share = np.clip((points - start) @ along / max(along @ along, 1e-12), 0, 1)
    return np.linalg.norm(points - start - share[:, None] * along, axis=1)


def spread(candidates: Sequence[np.ndarray], taken: np.ndarray, extent: tuple[float, float]) -> list[int]:
    """For each label one of its candidate places [C, 2], far from what is taken [K, 2] and from the labels before.

    `extent` is a label's width and height. The candidates stand in the order of preference.
    """
    chosen: list[int] = []
    taken = np.asarray(taken, float).reshape(-1, 2)
    for places in candidates:
        room = (np.abs(places[:, None] - taken) / extent).max(axis=-1).min(axis=1, initial=9)  # 1: labels just touch
        best = int(np.argmax(np.minimum(room, 1.6)))
        chosen.append(best)
        taken = np.vstack([taken, places[best]])
    return chosen
