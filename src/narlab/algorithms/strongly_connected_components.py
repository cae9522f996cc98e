"""Strongly connected components (CLRS 22.5): each node's representative, by two depth-first traversals."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, jitted, of_sample, records
from narlab.algorithms.parts.depth_first import BEGIN, CLOSE, END, OPEN, WHITE, Walk, following, new_walk
from narlab.algorithms.sampling.graphs import Communities, GraphSampler
from narlab.specs import Location, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR),
    Probe.input("A", Location.EDGE, Type.SCALAR, dtype="int8"),
    Probe.input("adj", Location.EDGE, Type.MASK),
    Probe.output("scc_id", Location.NODE, Type.POINTER),
    Probe.hint("scc_id_h", Location.NODE, Type.POINTER),
    Probe.hint("A_t", Location.EDGE, Type.MASK),
    Probe.hint("color", Location.NODE, Type.CATEGORICAL, categories=3),
    Probe.hint("d", Location.NODE, Type.SCALAR),
    Probe.hint("f", Location.NODE, Type.SCALAR),
    Probe.hint("s_prev", Location.NODE, Type.POINTER),
    Probe.hint("s", Location.NODE, Type.MASK_ONE),
    Probe.hint("u", Location.NODE, Type.MASK_ONE),
    Probe.hint("v", Location.NODE, Type.MASK_ONE),
    Probe.hint("s_last", Location.NODE, Type.MASK_ONE),
    Probe.hint("time", Location.GRAPH, Type.SCALAR),
    Probe.hint("phase", Location.GRAPH, Type.MASK),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def strongly_connected_components(A, adj, hints):
    """Return each node's representative, [N], and the number of events."""
    n = len(A)
    walk = new_walk(n, np.arange(n), True)
    scc_id = np.arange(n)
    d, f, time = np.zeros(n), np.zeros(n), 0.0
    last_closed_first = np.zeros(n, np.int64)
    unclosed = n
    phase, graph = 0, A
    A_t = adj.T.copy()
    event = BEGIN
    t = 0
    while True:
        event = following(event, graph, walk, False)
        kind, _, s, u, v, top = event
        if kind == OPEN:
            time += 0.01
            d[u] = time
        elif kind == CLOSE:
            time += 0.01
            f[u] = time
            if phase == 0:
                unclosed -= 1
                last_closed_first[unclosed] = u
        elif kind == END:
            if phase == 1:
                return scc_id, t
            phase, graph = 1, A.T.copy()
            walk.color[:] = WHITE
            walk = Walk(last_closed_first, walk.color, walk.s_prev, walk.opened)
            event = BEGIN
            continue
        if phase == 1:
            scc_id[u] = s
        if t < len(hints.time):  # probe
            for w in range(n):
                hints.scc_id_h[t, w] = scc_id[w]
                hints.color[t, w, walk.color[w]] = 1
                hints.d[t, w] = d[w]
                hints.f[t, w] = f[w]
                hints.s_prev[t, w] = walk.s_prev[w]
            for i in range(n):
                for j in range(n):
                    hints.A_t[t, i, j] = A_t[i, j]
            hints.s[t, s] = hints.u[t, u] = hints.v[t, v] = hints.s_last[t, top] = 1
            hints.time[t] = time
            hints.phase[t] = phase
        t += 1


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        sample = of_sample(hints, b)
        outputs.scc_id[b], lengths[b] = strongly_connected_components(inputs.A[b], inputs.adj[b], sample)


ALGORITHM = Algorithm(
    name="strongly_connected_components",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(Communities(), directed=True),
    run=run,
    lengths_at_16=(84, 96),
    smallest=4,
)
