"""Topological order as a linked list, built from its end while a depth-first traversal closes nodes."""

import numpy as np

from narlab.algorithms.parts.depth_first import BLACK
from narlab.common.compiling import compiled, in_place
from narlab.common.errors import UsageError

NONE = -1


@in_place
def prepend(topo, head, u, color):
    """Put `u`, just closed, before the list's head, if there is one yet; return the new head."""
    if color[head] == BLACK:
        topo[u] = head
    return u


def check_acyclic(arrays: dict[str, np.ndarray]) -> None:
    """The graphs have no directed cycle, so that there is a topological order."""
    sample = first_cyclic(arrays["A"] != 0)
    if sample != NONE:
        raise UsageError(f"input 'A' must be acyclic, but the graph of sample {sample} has a cycle")


@compiled
def first_cyclic(edges):
    """The first sample of `edges`, [count, N, N], from which not all nodes can be taken away sources first, or none."""
    count, n, _ = edges.shape
    arcs_in, sources = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for b in range(count):
        arcs_in[:] = 0
        for u in range(n):
            for v in range(n):
                arcs_in[v] += edges[b, u, v]
        found = 0
        for v in range(n):
            if arcs_in[v] == 0:
                sources[found] = v
                found += 1
        taken = 0
        while taken < found:
            for v in range(n):
                if edges[b, sources[taken], v]:
                    arcs_in[v] -= 1
                    if arcs_in[v] == 0:
                        sources[found] = v
                        found += 1
            taken += 1
        if found < n:
            return b
    return NONE
