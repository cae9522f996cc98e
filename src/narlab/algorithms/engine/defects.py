"""Words for defects that answers of several algorithms can have."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from narlab.algorithms.engine.validity import Defect
from narlab.algorithms.parts.ties import tied


def chain(nodes: Sequence[int]) -> str:
    """`2 -> 5 -> 2`"""
    return " -> ".join(map(str, nodes))


def number(value: float) -> str:
    """A length or weight with as many digits as may decide about a tie."""
    return f"{value:.12g}"


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
            if p != v:
                who = f"source {v}" if v == source else f"node {v} is out of reach and"
                found.append(Defect(f"{who} points to {p}, not to itself", (v,), ((p, v),)))
        elif p == v:
            found.append(Defect(f"node {v} points to itself, though there is a path to it", (v,)))
        elif lengths[p, v] == np.inf:
            found.append(no_edge(v, p, lengths < np.inf))
        elif distance[p] == np.inf:
            found.append(Defect(f"node {v} points to {p}, which is out of reach", (v, p), ((p, v),)))
        elif not tied(distance[p] + lengths[p, v], distance[v]):
            away = f"{number(distance[p] + lengths[p, v])} from the source, not {number(distance[v])}"
            found.append(Defect(f"node {v} points to {p}, by which it is {away}", (v, p), ((p, v),)))
    return found + cycles(parent)
