"""Sets of nodes as bits, 64 to a word: a union or a comparison of sets is a handful of steps."""

import numpy as np

from narlab.common.compiling import in_place, jitted

ONE = np.uint64(1)


@jitted
def new_sets(count, n):
    """`count` empty sets of some of `n` nodes, [count, words]."""
    return np.zeros((count, (n + 63) // 64), np.uint64)


@in_place
def add(nodes, v):
    nodes[v >> 6] |= ONE << np.uint64(v & 63)


@in_place
def has(nodes, v):
    return (nodes[v >> 6] >> np.uint64(v & 63)) & ONE == ONE


@in_place
def is_empty(nodes):
    for k in range(len(nodes)):
        if nodes[k] != 0:
            return False
    return True


@in_place
def unite(nodes, others):
    """Add all of `others` to `nodes`."""
    for k in range(len(nodes)):
        nodes[k] |= others[k]


@in_place
def meet(nodes, others):
    """Whether the two sets have a node in common."""
    for k in range(len(nodes)):
        if nodes[k] & others[k] != 0:
            return True
    return False


@in_place
def within(nodes, others):
    """Whether all of `nodes` are among `others`."""
    for k in range(len(nodes)):
        if nodes[k] & ~others[k] != 0:
            return False
    return True


@in_place
def collect_arcs(A, heads):
    """Fill `heads`, for each node the set of those that an arc leads to from it, itself left out."""
    heads[:] = 0
    for u in range(len(A)):
        for v in range(len(A)):
            if (A[u, v] != 0) & (u != v):
                add(heads[u], v)


@in_place
def close(reach):
    """Let each node's set hold all that can be reached over others' sets: Warshall's transitive closure."""
    for k in range(len(reach)):
        for u in range(len(reach)):
            if has(reach[u], k):
                unite(reach[u], reach[k])
