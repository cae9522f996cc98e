"""The minimum spanning forest of an undirected graph that is nearest to an answer, and what the answer weighs.

Where weights are equal, the forest takes the edges that the answer has. So an answer that is a minimum spanning forest
is found itself, and of any other we learn which of its elements one minimum spanning forest shares.
"""

from collections import namedtuple

import numpy as np

from narlab.algorithms.engine.validity import relative_gap, ties
from narlab.common.compiling import in_place, jitted

NOBODY = -1

Growth = namedtuple("Growth", "parent, weight, wanted, done, wish")
"""Of each node: its parent in the forest, itself for a root; the weight of the edge from there; how much the answer
wants that edge; whether the node is in the forest. Of each pair, how much the answer wants an edge there."""


@jitted
def new_growth(n):
    return Growth(
        np.empty(n, np.int64), np.empty(n), np.empty(n, np.int8), np.empty(n, np.bool_), np.empty((n, n), np.int8)
    )


@in_place
def begin(growth):
    """Make the forest empty."""
    growth.done[:] = False
    growth.weight[:] = np.inf
    growth.wanted[:] = 0
    for v in range(len(growth.parent)):
        growth.parent[v] = v


@in_place
def is_better(weight, wanted, other_weight, other_wanted):
    """Whether an edge is lighter than another, or as light and more wanted."""
    return (weight < other_weight) | ((weight == other_weight) & (wanted > other_wanted))


@in_place
def nearest(growth):
    """The node with the best edge from the forest, or nobody."""
    best, least, most = NOBODY, np.inf, 0
    for v in range(len(growth.done)):
        if (not growth.done[v]) & is_better(growth.weight[v], growth.wanted[v], least, most):
            best, least, most = v, growth.weight[v], growth.wanted[v]
    return best


@in_place
def grow(A, root, growth):
    """Add the tree of `root` by Prim's algorithm; return its weight."""
    parent, weight, wanted, done, wish = growth
    total, u = 0.0, root
    while u != NOBODY:
        done[u] = True
        for v in range(len(A)):
            if (A[u, v] != 0) & (not done[v]) & is_better(A[u, v], wish[u, v], weight[v], wanted[v]):
                parent[v], weight[v], wanted[v] = u, A[u, v], wish[u, v]
        u = nearest(growth)
        if u != NOBODY:
            total += weight[u]
    return total


@in_place
def judge_weight(solved, total, best):
    """Whether a forest of weight `total` is valid, and its gap; it is no solution if it is not a spanning one."""
    if not solved:
        return False, np.inf
    if ties(total, best):
        return True, 0.0
    return False, relative_gap(total - best, best)


@in_place
def unite(leader, u, v):
    """Unite the sets of `u` and `v`, each node of which leads to the set's leader; return whether they were two."""
    while leader[u] != u:
        leader[u] = leader[leader[u]]
        u = leader[u]
    while leader[v] != v:
        leader[v] = leader[leader[v]]
        v = leader[v]
    leader[u] = v
    return u != v


@in_place
def weigh_marks(A, in_mst, leader):
    """Whether the marks are a forest of edges; the number of its edges, and its weight. `leader` is room."""
    n = len(A)
    for v in range(n):
        leader[v] = v
    is_forest, edges, total = True, 0, 0.0
    for u in range(n):
        is_forest &= in_mst[u, u] == 0
        for v in range(u + 1, n):
            if (in_mst[u, v] != 0) | (in_mst[v, u] != 0):
                is_forest &= (in_mst[u, v] == in_mst[v, u]) & (A[u, v] != 0) and unite(leader, u, v)
                edges += 1
                total += A[u, v]
    return is_forest, edges, total
