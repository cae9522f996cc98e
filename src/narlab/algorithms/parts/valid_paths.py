"""Whether parents form a tree of shortest paths from a source, whatever the length of an arc is."""

from collections import namedtuple

import numpy as np

from narlab.algorithms.parts.ties import relative_gap, ties
from narlab.compiling import in_place, jitted

Paths = namedtuple("Paths", "distance, arc, length, walked")
"""Of each node: its distance from the source; the length of the arc from its parent, infinite if there is none; the
length of the path that the parents give, infinite if they don't lead to the source; and room for a walk."""


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
def judge_paths(parent, source, paths, right):
    """Fill `right`, whether each node's parent is on a shortest path to it; return whether all are valid, and the gap.

    The source and nodes out of reach must point to themselves. A parent is right if the arc from it is tight, and tight
    arcs that form a tree make a tree of shortest paths; but arcs of hardly any length may be tight and run in a circle.
    """
    distance, arc, length, _ = paths
    measure_paths(parent, source, paths)
    valid, solved, excess, best = True, True, 0.0, 0.0
    for v in range(len(parent)):
        if v == source or distance[v] == np.inf:
            right[v] = parent[v] == v
            solved &= right[v]
        else:
            right[v] = ties(distance[parent[v]] + arc[v], distance[v])
            solved &= length[v] < np.inf
            excess += max(0.0, length[v] - distance[v])
            best += distance[v]
        valid &= right[v]
    valid &= solved
    if valid:
        return True, 0.0
    return False, relative_gap(excess, best) if solved else np.inf
