"""Topological sort (CLRS 22.4): each node's successor in an order in which all arcs point forward."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, jitted, of_sample, records
from narlab.algorithms.parts.depth_first import BEGIN, CLOSE, END, following, new_walk
from narlab.algorithms.parts.topological import check_acyclic, prepend
from narlab.algorithms.sampling.graphs import ErdosRenyi, GraphSampler
from narlab.specs import Location, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR),
    Probe.input("A", Location.EDGE, Type.SCALAR, dtype="int8", benchmark_dtype="int64"),
    Probe.input("adj", Location.EDGE, Type.MASK),
    Probe.output("topo", Location.NODE, Type.POINTER),
    Probe.output("topo_head", Location.NODE, Type.MASK_ONE),
    Probe.hint("topo_h", Location.NODE, Type.POINTER),
    Probe.hint("topo_head_h", Location.NODE, Type.MASK_ONE),
    Probe.hint("color", Location.NODE, Type.CATEGORICAL, categories=3),
    Probe.hint("s_prev", Location.NODE, Type.POINTER),
    Probe.hint("s", Location.NODE, Type.MASK_ONE),
    Probe.hint("u", Location.NODE, Type.MASK_ONE),
    Probe.hint("v", Location.NODE, Type.MASK_ONE),
    Probe.hint("s_last", Location.NODE, Type.MASK_ONE),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def topological_sort(A, hints):
    """Return each node's successor, [N], the first node and the number of events."""
    n = len(A)
    walk = new_walk(n, np.arange(n), False)
    topo, head = np.arange(n), 0  # the last node points to itself
    event = BEGIN
    t = 0
    while True:
        event = following(event, A, walk, False)
        kind, _, s, u, v, top = event
        if kind == CLOSE:
            head = prepend(topo, head, u, walk.color)
        elif kind == END:
            return topo, head, t
        if t < len(hints.topo_h):  # probe
            for w in range(n):
                hints.topo_h[t, w] = topo[w]
                hints.color[t, w, walk.color[w]] = 1
                hints.s_prev[t, w] = walk.s_prev[w]
            hints.topo_head_h[t, head] = 1
            hints.s[t, s] = hints.u[t, u] = hints.v[t, v] = hints.s_last[t, top] = 1
        t += 1


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        outputs.topo[b], head, lengths[b] = topological_sort(inputs.A[b], of_sample(hints, b))
        outputs.topo_head[b] = 0
        outputs.topo_head[b, head] = 1


ALGORITHM = Algorithm(
    name="topological_sort",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.5), directed=True, acyclic=True),
    run=run,
    lengths_at_16=(33, 43),
    check=check_acyclic,
)
