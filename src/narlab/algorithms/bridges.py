"""Bridges (CLRS problem 22-2): the edges without which a connected component falls apart."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, jitted, of_sample, records
from narlab.algorithms.parts.depth_first import BEGIN, CLOSE, END, new_walk
from narlab.algorithms.parts.low_links import following_link, new_links, show
from narlab.algorithms.sampling.graphs import ErdosRenyi, GraphSampler
from narlab.specs import Location, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR),
    Probe.input("A", Location.EDGE, Type.SCALAR, dtype="int8", benchmark_dtype="int64"),
    Probe.input("adj", Location.EDGE, Type.MASK),
    Probe.output("is_bridge", Location.EDGE, Type.MASK),
    Probe.hint("is_bridge_h", Location.EDGE, Type.MASK),
    Probe.hint("pi_h", Location.NODE, Type.POINTER),
    Probe.hint("color", Location.NODE, Type.CATEGORICAL, categories=3),
    Probe.hint("d", Location.NODE, Type.SCALAR),
    Probe.hint("f", Location.NODE, Type.SCALAR),
    Probe.hint("low", Location.NODE, Type.SCALAR),
    Probe.hint("s_prev", Location.NODE, Type.POINTER),
    Probe.hint("s", Location.NODE, Type.MASK_ONE),
    Probe.hint("u", Location.NODE, Type.MASK_ONE),
    Probe.hint("v", Location.NODE, Type.MASK_ONE),
    Probe.hint("s_last", Location.NODE, Type.MASK_ONE),
    Probe.hint("time", Location.GRAPH, Type.SCALAR),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def bridges(A, is_bridge, hints):
    """Fill `is_bridge`: 1 on bridges, 0 on other edges and the diagonal, -1 elsewhere; return the number of events."""
    n = len(A)
    for u in range(n):
        for v in range(n):
            is_bridge[u, v] = 0 if A[u, v] != 0 or u == v else -1
    walk, links, time = new_walk(n, np.arange(n), True), new_links(n), 0.0
    event = BEGIN
    t = 0
    while True:
        event, time = following_link(event, A, walk, links, time)
        if event.kind == CLOSE:
            u = event.u
            for v in range(n):
                if links.parent[v] == u and links.low[v] > links.d[u]:
                    is_bridge[u, v] = is_bridge[v, u] = 1
        elif event.kind == END:
            return t
        if t < len(hints.time):  # probe
            show(hints, t, event, walk, links, time)
            for u in range(n):
                for v in range(n):
                    hints.is_bridge_h[t, u, v] = is_bridge[u, v]
        t += 1


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        lengths[b] = bridges(inputs.A[b], outputs.is_bridge[b], of_sample(hints, b))


ALGORITHM = Algorithm(
    name="bridges",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.2)),
    run=run,
    lengths_at_16=(48, 73),
)
