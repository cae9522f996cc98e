"""Whether parents form a tree of shortest paths from a source, whatever the length of an arc is."""

from collections import namedtuple
from collections.abc import Callable

import numpy as np

from narlab.algorithms.engine.validity import Defect, Validity, path_defects, relative_gap, ties
from narlab.common.compiling import in_place, jitted

Paths = namedtuple("Paths", "distance, arc, length, walked")
"""Of each node: its distance from the source, infinite out of reach; the length of the arc from its parent, infinite if
there is none; the length of the path that the parents give, infinite if they don't lead to the source; room for a walk.
"""


@jitted
def new_paths(n):
    return Paths(np.empty(n), np.empty(n), np.empty(n), np.empty(n, np.int64))


@in_place
def measure_paths(parent, source, paths):
    """Fill `paths.length` from the arcs' lengths, each node once."""
    _, arc, length, walked = paths
    length[:] = np.nan  # not known yet
    length[source] = 0.0
    for v in range(len(parent)):
        steps = 0
        while np.isnan(length[v]):
            length[v] = np.inf  # while the walk goes on: it has run into a cycle if it comes here again
            walked[steps] = v
            steps += 1
            v = parent[v]
        total = length[v]
        while steps > 0:
            steps -= 1
            total += arc[walked[steps]]
            length[walked[steps]] = total


@in_place
def judge_reachable(parent, source, paths, right):
    """Fill `right` for the nodes in reach but the source: whether the arc from the parent is tight.

    Tight arcs that form a tree make a tree of shortest paths; but arcs of hardly any length may be tight and run in a
    circle. Return whether all are tight, whether all nodes lead to the source, by how much the paths are too long in
    sum, and the sum of the distances.
    """
    distance, arc, length, _ = paths
    measure_paths(parent, source, paths)
    tight, solved, excess, best = True, True, 0.0, 0.0
    for v in range(len(parent)):
        if (v != source) & (distance[v] < np.inf):
            right[v] = ties(distance[parent[v]] + arc[v], distance[v])
            tight &= right[v]
            solved &= length[v] < np.inf
            excess += max(0.0, length[v] - distance[v])
            best += distance[v]
    return tight, solved, excess, best


@in_place
def judge_paths(parent, source, paths, right):
    """Fill `right` for all nodes, of which the source and those out of reach must point to themselves.

    Return whether the answer is valid, and its gap.
    """
    tight, solved, excess, best = judge_reachable(parent, source, paths, right)
    for v in range(len(parent)):
        if v == source or paths.distance[v] == np.inf:
            right[v] = parent[v] == v
            solved &= right[v]
    return conclude(tight, solved, excess, best)


@in_place
def conclude(tight, solved, excess, best):
    """Whether paths are valid, and their gap."""
    if tight & solved:
        return True, 0.0
    return False, relative_gap(excess, best) if solved else np.inf


@in_place
def measure_distances(A, source, distance):
    """Fill `distance` by relaxing all arcs until nothing changes; without negative cycles, that is soon."""
    distance[:] = np.inf
    distance[source] = 0.0
    for _ in range(len(A)):
        changed = False
        for u in range(len(A)):
            if distance[u] < np.inf:
                for v in range(len(A)):
                    length = distance[u] + A[u, v]
                    if (A[u, v] != 0) & (length < distance[v]):
                        distance[v] = length
                        changed = True
        if not changed:
            return


@in_place
def measure_arcs(A, parent, arc):
    """Fill `arc`; a self-loop leads no node to the source."""
    for v in range(len(parent)):
        p = parent[v]
        arc[v] = A[p, v] if (p != v) & (A[p, v] != 0) else np.inf


@jitted
def judge_shortest_paths(inputs, outputs, verdicts):
    """Judge a batch of parents `pi` in graphs with weights."""
    paths = new_paths(inputs.A.shape[1])
    for b in range(len(verdicts.valid)):
        A, parent, source = inputs.A[b], outputs.pi[b], np.argmax(inputs.s[b])
        measure_distances(A, source, paths.distance)
        measure_arcs(A, parent, paths.arc)
        verdicts.valid[b], verdicts.gap[b] = judge_paths(parent, source, paths, verdicts.elements.pi[b])


def find_defects(inputs: dict[str, np.ndarray], outputs: dict[str, np.ndarray]) -> list[Defect]:
    A, source = inputs["A"], int(inputs["s"].argmax())
    distance = np.empty(len(A))
    measure_distances.py_func(A, source, distance)
    return path_defects(outputs["pi"], source, distance, np.where(A != 0, A, np.inf))


def shortest_paths(
    judge: Callable, *, theorem: str, check: Callable[[dict[str, np.ndarray]], None] | None = None
) -> Validity:
    """The validity of an algorithm that answers with the parents of a tree of shortest paths, as `theorem` says it."""
    return Validity(
        judge=judge,
        defects=find_defects,
        rule="the source and unreachable nodes point to themselves, the other pointers form a tree of shortest paths",
        theorem=theorem,
        ties="any parent on a shortest path, with lengths equal within the tolerance; a cycle of ties is an error",
        elements="the arc from the parent is tight: distance of parent + weight = distance of node",
        value="the length of the paths from the source, summed over all reachable nodes",
        check=check,
    )
