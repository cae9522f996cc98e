"""Whether a forest is one that some depth-first search of a directed graph gives.

Theorem: a forest of arcs is a depth-first forest exactly if, among the children of each node and among the roots, the
relation "an arc leads from the subtree of c to the subtree of d" has no cycle.

Only if: a search finishes one sibling's subtree before it discovers the next. Had it come to c before d, the arc would
lead from a finished node to one that is discovered later; but no node is finished while an arc leads from it to an
undiscovered one. So d came before c, and "came before" has no cycle.

If: let a search take roots and children in an order in which d always comes before c, and at each node the forest's
arcs before all others. Any other arc that it looks along leads to an ancestor, or to a descendant, which the forest's
arcs have discovered by then, or to a sibling's subtree, which came before. So nothing is discovered by another arc.
"""

from collections import namedtuple

import numpy as np

from narlab.algorithms.parts.bitsets import add, collect_arcs, meet, new_sets, unite
from narlab.common.compiling import in_place, jitted

Forest = namedtuple("Forest", "parent, heads, subtree, order, waits")
"""Of each node: its parent, a number that is no node's for roots; where arcs lead from its subtree, and the subtree,
both as sets; room for a queue, and for the number of those that a node waits for."""


@jitted
def new_forest(n):
    return Forest(np.empty(n, np.int64), new_sets(n, n), new_sets(n, n), np.empty(n, np.int64), np.empty(n, np.int64))


@in_place
def hang(pi, forest):
    """Fill the forest's parents; return whether it is a forest, with its nodes ordered children before parents."""
    parent, _, _, order, waits = forest
    n = len(pi)
    waits[:] = 0
    for v in range(n):
        parent[v] = pi[v] if pi[v] != v else n
        if pi[v] != v:
            waits[pi[v]] += 1
    found = 0
    for v in range(n):
        if waits[v] == 0:
            order[found] = v
            found += 1
    taken = 0
    while taken < found:
        p = parent[order[taken]]
        taken += 1
        if p < n:
            waits[p] -= 1
            if waits[p] == 0:
                order[found] = p
                found += 1
    return found == n


@in_place
def collect_subtrees(A, forest):
    """Fill each subtree's set of nodes and the set of nodes that arcs lead to from it."""
    parent, heads, subtree, order, _ = forest
    collect_arcs(A, heads)
    subtree[:] = 0
    for v in order:
        add(subtree[v], v)
        if parent[v] < len(A):
            unite(subtree[parent[v]], subtree[v])
            unite(heads[parent[v]], heads[v])


@in_place
def siblings_have_an_order(forest):
    """Whether all siblings can be ordered so that arcs between their subtrees lead to earlier ones only."""
    parent, heads, subtree, order, waits = forest
    n, found = len(parent), 0
    for v in range(n):
        waits[v] = 0
        for sibling in range(n):
            if (parent[sibling] == parent[v]) & (sibling != v):
                waits[v] += meet(heads[v], subtree[sibling])
        if waits[v] == 0:
            order[found] = v
            found += 1
    taken = 0
    while taken < found:
        earlier = order[taken]
        taken += 1
        for v in range(n):
            if (parent[v] == parent[earlier]) & (waits[v] > 0) and meet(heads[v], subtree[earlier]):
                waits[v] -= 1
                if waits[v] == 0:
                    order[found] = v
                    found += 1
    return found == n


@in_place
def is_depth_first(A, pi, forest):
    """Whether the parents `pi`, which must be arcs of `A`, form a depth-first forest."""
    if not hang(pi, forest):
        return False
    collect_subtrees(A, forest)
    return siblings_have_an_order(forest)
