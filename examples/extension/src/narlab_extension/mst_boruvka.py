"""Borůvka's algorithm: in each round every component takes its lightest edge to another one."""

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
    Probe.hint("component_h", Location.NODE, Type.POINTER),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@in_place
def probe(hints, t, in_mst, component):
    """Write row t, if rows are wanted; return the number of rows so far."""
    if t < len(hints.component_h):
        for u in range(len(component)):
            hints.component_h[t, u] = component[u]
            for v in range(len(component)):
                hints.in_mst_h[t, u, v] = in_mst[u, v]
    return t + 1


@in_place
def comes_before(A, u, v, edge):
    """Whether edge (u, v) is lighter than `edge`; of two that weigh the same, the one with the lower nodes is."""
    x, y = edge
    if A[u, v] != A[x, y]:
        return A[u, v] < A[x, y]
    return (min(u, v), max(u, v)) < (min(x, y), max(x, y))


@jitted
def lightest_edges(A, component):
    """The lightest edge that leaves each component, [N, 2] at its lowest node; -1 where there is none."""
    n = len(A)
    lightest = np.full((n, 2), -1)
    for u in range(n):
        c = component[u]
        for v in range(n):
            leaves = A[u, v] > 0 and component[v] != c
            if leaves and (lightest[c, 0] < 0 or comes_before(A, u, v, lightest[c])):
                lightest[c, 0], lightest[c, 1] = u, v
    return lightest


@jitted
def mst_boruvka(A, in_mst, hints):
    """Mark the forest's edges in `in_mst`, [N, N], all zero; return the number of rows."""
    component = np.arange(len(A))  # each node points to the lowest one of its component
    t = probe(hints, 0, in_mst, component)  # probe
    joined = True
    while joined:
        joined = False
        for u, v in lightest_edges(A, component):
            if u >= 0 and component[u] != component[v]:
                in_mst[u, v] = in_mst[v, u] = 1
                low, high = min(component[u], component[v]), max(component[u], component[v])
                component[component == high] = low
                joined = True
        if joined:
            t = probe(hints, t, in_mst, component)  # probe
    return t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        outputs.in_mst[b] = 0  # the counting pass has left its marks
        lengths[b] = mst_boruvka(inputs.A[b], outputs.in_mst[b], of_sample(hints, b))


ALGORITHM = Algorithm(
    name="mst_boruvka",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.2), weighted=True),
    run=run,
    lengths_at_16=(1, 4),
)
