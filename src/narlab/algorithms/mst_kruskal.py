"""Kruskal's algorithm (CLRS 23.2): the edges of a minimum spanning forest, by weight, with a union-find forest."""

from collections import namedtuple

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, in_place, jitted, of_sample, records
from narlab.algorithms.sampling.graphs import ErdosRenyi, GraphSampler
from narlab.specs import Location, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR),
    Probe.input("A", Location.EDGE, Type.SCALAR),
    Probe.input("adj", Location.EDGE, Type.MASK),
    Probe.output("in_mst", Location.EDGE, Type.MASK),
    Probe.hint("in_mst_h", Location.EDGE, Type.MASK),
    Probe.hint("pi", Location.NODE, Type.POINTER),
    Probe.hint("u", Location.NODE, Type.MASK_ONE),
    Probe.hint("v", Location.NODE, Type.MASK_ONE),
    Probe.hint("root_u", Location.NODE, Type.MASK_ONE),
    Probe.hint("root_v", Location.NODE, Type.MASK_ONE),
    Probe.hint("mask_u", Location.NODE, Type.MASK),
    Probe.hint("mask_v", Location.NODE, Type.MASK),
    Probe.hint("phase", Location.GRAPH, Type.CATEGORICAL, categories=3),
)
Inputs, Outputs, Hints = records(__name__, PROBES)
State = namedtuple("State", "in_mst, pi, ends, roots, masks")  # ends, roots and masks: of u, then of v


@in_place
def probe(hints, t, state, phase):
    """Write row t, if rows are wanted; return the number of rows so far."""
    if t < len(hints.phase):
        in_mst, pi, ends, roots, masks = state
        for i in range(len(pi)):
            for j in range(len(pi)):
                hints.in_mst_h[t, i, j] = in_mst[i, j]
            hints.pi[t, i] = pi[i]
            hints.mask_u[t, i] = masks[0, i]
            hints.mask_v[t, i] = masks[1, i]
        hints.u[t, ends[0]] = hints.v[t, ends[1]] = 1
        hints.root_u[t, roots[0]] = hints.root_v[t, roots[1]] = 1
        hints.phase[t, phase] = 1
    return t + 1


@jitted
def edges_by_weight(A):
    """The pairs u < v with a positive weight, the lightest first, [E, 2]."""
    n = len(A)
    edges, weights = np.empty((n * (n - 1) // 2, 2), np.int64), np.empty(n * (n - 1) // 2)
    count = 0
    for u in range(n):
        for v in range(u + 1, n):
            if A[u, v] > 0:
                edges[count, 0], edges[count, 1], weights[count] = u, v, A[u, v]
                count += 1
    return edges[np.argsort(weights[:count], kind="mergesort")]


@in_place
def climb(pi, root, mask):
    """Go from `root` to its parent, hang all nodes of the climbed path there and return it."""
    parent = pi[root]
    for i in range(len(pi)):
        if mask[i]:
            pi[i] = parent
    mask[parent] = True
    return parent


@jitted
def mst_kruskal(A, in_mst, hints):
    """Mark the forest's edges in `in_mst`, [N, N], all zero; return the number of rows."""
    n = len(A)
    pi, masks = np.arange(n), np.zeros((2, n), np.bool_)
    ends, roots = np.zeros(2, np.int64), np.zeros(2, np.int64)
    state = State(in_mst, pi, ends, roots, masks)
    t = probe(hints, 0, state, 0)  # probe
    for edge in edges_by_weight(A):
        masks[:] = False
        for side in range(2):
            ends[side] = roots[side] = edge[side]
            masks[side, edge[side]] = True
        t = probe(hints, t, state, 1)  # probe
        for side in range(2):
            while pi[roots[side]] != roots[side]:
                roots[side] = climb(pi, roots[side], masks[side])
                t = probe(hints, t, state, 1 + side)  # probe
        if roots[0] != roots[1]:
            u, v = edge
            in_mst[u, v] = in_mst[v, u] = 1
            pi[min(roots)] = max(roots)
        t = probe(hints, t, state, 0)  # probe
    return t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        outputs.in_mst[b] = 0  # the counting pass has left its marks
        lengths[b] = mst_kruskal(inputs.A[b], outputs.in_mst[b], of_sample(hints, b))


ALGORITHM = Algorithm(
    name="mst_kruskal",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.2), weighted=True),
    run=run,
    lengths_at_16=(1, 38),
)
