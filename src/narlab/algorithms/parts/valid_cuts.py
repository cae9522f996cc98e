"""The cut vertices and bridges of an undirected graph, found by low-links in one depth-first traversal."""

from collections import namedtuple

import numpy as np

from narlab.common.compiling import compiled, in_place, jitted

UNSEEN = -1

Cuts = namedtuple("Cuts", "is_cut, is_bridge, parent, index, low, scan")
"""Of each node: whether it is a cut vertex; whether the edge from its parent is a bridge; its parent in the traversal,
when it was discovered, the earliest node that its subtree has an edge to, and how far its neighbours are scanned."""


@jitted
def new_cuts(n):
    flags, numbers = np.empty((2, n), np.bool_), np.empty((4, n), np.int64)
    return Cuts(flags[0], flags[1], numbers[0], numbers[1], numbers[2], numbers[3])


@in_place
def find_cuts(A, cuts):
    """Fill `cuts`."""
    cuts.is_cut[:] = cuts.is_bridge[:] = False
    cuts.index[:] = UNSEEN
    cuts.scan[:] = 0
    time = 0
    for root in range(len(A)):
        if cuts.index[root] == UNSEEN:
            cuts.parent[root] = root
            cuts.index[root] = cuts.low[root] = time
            time = traverse(A, root, time + 1, cuts)


@in_place
def traverse(A, root, time, cuts):
    """Traverse what is connected with `root`; return the time."""
    is_cut, is_bridge, parent, index, low, scan = cuts
    u, children = root, 0  # of the root
    while True:
        v = scan[u]
        if v < len(A):
            scan[u] += 1
            if A[u, v] == 0:
                continue
            if index[v] == UNSEEN:
                parent[v] = u
                index[v] = low[v] = time
                time += 1
                u = v
            elif v != parent[u]:
                low[u] = min(low[u], index[v])
        elif u == root:
            is_cut[root] = children > 1
            return time
        else:
            p = parent[u]
            low[p] = min(low[p], low[u])
            is_bridge[u] = low[u] > index[p]
            is_cut[p] |= low[u] >= index[p]
            children += p == root
            u = p


def cuts_of(A: np.ndarray) -> Cuts:
    """The cuts of one graph."""
    cuts = Cuts(*(np.empty(len(A), bool) for _ in range(2)), *(np.empty(len(A), int) for _ in range(4)))
    fill_cuts(A, cuts)
    return cuts


@compiled
def fill_cuts(A, cuts):
    find_cuts(A, cuts)
