"""Words for defects that answers of several algorithms can have."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from narlab.algorithms.engine.validity import Defect, tied


def chain(nodes: Sequence[int]) -> str:
    """`2 -> 5 -> 2`"""
    return " -> ".join(map(str, nodes))


def number(value: float) -> str:
    """A length or weight with as many digits as may decide about a tie."""
    return f"{value:.12g}"


def reached_from(A: np.ndarray, start: int, *, without: int | None = None) -> set[int]:
    """The nodes that paths from `start` lead to, those through the node `without` left out."""
    reached, queue = {start}, [start]
    for u in queue:
        fresh = [v for v in np.flatnonzero(A[u]).tolist() if v != without and v not in reached]
        reached.update(fresh)
        queue += fresh
    return reached


def cycles(pointers: np.ndarray) -> list[Defect]:
    """A defect for each cycle that nodes run into by their pointers; a node that points to itself is none."""
    found, seen_from = [], np.full(len(pointers), -1)
    for start in range(len(pointers)):
        walk, v = [], start
        while seen_from[v] == -1:
            seen_from[v] = start
            walk.append(v)
            v = int(pointers[v])
        if seen_from[v] == start and pointers[v] != v:
            cycle = [*walk[walk.index(v) :], v]
            found.append(Defect(f"cycle {chain(cycle)}", tuple(cycle[:-1]), arcs_to_children(cycle)))
    return found


def arcs_to_children(walk: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """The arcs of a walk along parents, each from the parent to the child."""
    return tuple((parent, child) for child, parent in pairwise(walk))


def out_of_place(v: int, p: int, source: int) -> Defect:
    """Node `v`, the source or out of its reach, points to `p` and not to itself."""
    who = f"source {v}" if v == source else f"node {v} is out of reach and"
    return Defect(f"{who} points to {p}, not to itself", (v,), ((p, v),))


def no_path(v: int) -> Defect:
    """Node `v` points to itself, though the source reaches it."""
    return Defect(f"node {v} points to itself, though there is a path to it", (v,))


def no_edge(v: int, p: int, edges: np.ndarray) -> Defect:
    """Node `v` points to `p`, from which no edge leads to it."""
    reason = f"but the edge leads from {v} to {p}" if edges[v, p] else "which is no neighbour"
    return Defect(f"node {v} points to {p}, {reason}", (v, p), ((p, v),))


def path_defects(parent: np.ndarray, source: int, distance: np.ndarray, lengths: np.ndarray) -> list[Defect]:
    """Why `parent` is no tree of shortest paths; `lengths` [N, N] are those of the arcs, infinite where there is none.

    `distance` [N] is the one from the source, infinite out of reach.
    """
    found = []
    for v, p in enumerate(map(int, parent)):
        if v == source or distance[v] == np.inf:
            found += [out_of_place(v, p, source)] if p != v else []
        elif p == v:
            found.append(no_path(v))
        elif lengths[p, v] == np.inf:
            found.append(no_edge(v, p, lengths < np.inf))
        elif distance[p] == np.inf:
            found.append(Defect(f"node {v} points to {p}, which is out of reach", (v, p), ((p, v),)))
        elif not tied(distance[p] + lengths[p, v], distance[v]):
            away = f"{number(distance[p] + lengths[p, v])} from the source, not {number(distance[v])}"
            found.append(Defect(f"node {v} points to {p}, by which it is {away}", (v, p), ((p, v),)))
    return found + cycles(parent)


def marked_once(u: int, v: int) -> Defect:
    """An undirected edge is marked from one side only."""
    return Defect(f"edge {u} - {v} is marked in one direction only", (u, v), ((u, v),))


def too_heavy(A: np.ndarray, tree: Sequence[tuple[int, int]], total: float, best: float) -> Defect:
    """A spanning tree is not of least weight: the exchange of two edges that saves most."""
    neighbours: dict[int, list[int]] = {}
    for u, v in tree:
        neighbours.setdefault(u, []).append(v)
        neighbours.setdefault(v, []).append(u)
    saving, exchange = -np.inf, ((0, 0), (0, 0))
    for u in neighbours:
        for v, heaviest in heaviest_edges(A, neighbours, u).items():
            if A[u, v] and A[heaviest] - A[u, v] > saving:
                saving, exchange = A[heaviest] - A[u, v], (heaviest, (u, v))
    (a, b), (c, d) = exchange
    instead = f"edge {c} - {d} of {number(A[c, d])} could replace {a} - {b} of {number(A[a, b])}"
    return Defect(f"weight {number(total)}, not {number(best)}: {instead}", (a, b, c, d), exchange)


def heaviest_edges(A: np.ndarray, neighbours: dict[int, list[int]], start: int) -> dict[int, tuple[int, int]]:
    """The heaviest edge on the path in a tree from `start` to each other node."""
    heaviest: dict[int, tuple[int, int]] = {}
    queue = [(start, v, (start, v)) for v in neighbours[start]]
    for u, v, edge in queue:
        heaviest[v] = edge
        queue += [(v, w, max(edge, (v, w), key=lambda pair: A[pair])) for w in neighbours[v] if w != u]
    return heaviest
