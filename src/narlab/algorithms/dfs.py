"""Depth-first search (CLRS 22.3): the parent of each node in the depth-first forest, nodes in index order."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, jitted, of_sample, records
from narlab.algorithms.parts.depth_first import BEGIN, CLOSE, END, OPEN, PUSH, following, new_walk
from narlab.algorithms.sampling.graphs import ErdosRenyi, GraphSampler
from narlab.specs import Location, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR),
    Probe.input("A", Location.EDGE, Type.SCALAR, dtype="int8", benchmark_dtype="int64"),
    Probe.input("adj", Location.EDGE, Type.MASK),
    Probe.output("pi", Location.NODE, Type.POINTER),
    Probe.hint("pi_h", Location.NODE, Type.POINTER),
    Probe.hint("color", Location.NODE, Type.CATEGORICAL, categories=3),
    Probe.hint("d", Location.NODE, Type.SCALAR),
    Probe.hint("f", Location.NODE, Type.SCALAR),
    Probe.hint("s_prev", Location.NODE, Type.POINTER),
    Probe.hint("s", Location.NODE, Type.MASK_ONE),
    Probe.hint("u", Location.NODE, Type.MASK_ONE),
    Probe.hint("v", Location.NODE, Type.MASK_ONE),
    Probe.hint("s_last", Location.NODE, Type.MASK_ONE),
    Probe.hint("time", Location.GRAPH, Type.SCALAR),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def dfs(A, hints):
    """Return each node's parent, [N], and the number of events."""
    n = len(A)
    walk = new_walk(n, np.arange(n), True)
    parent = np.arange(n)  # roots point to themselves
    d, f, time = np.zeros(n), np.zeros(n), 0.0
    event = BEGIN
    t = 0
    while True:
        event = following(event, A, walk, False)
        kind, _, s, u, v, top = event
        if kind == OPEN:
            time += 0.01
            d[u] = time
        elif kind == PUSH:
            parent[v] = u
        elif kind == CLOSE:
            time += 0.01
            f[u] = time
        elif kind == END:
            return parent, t
        if t < len(hints.time):  # probe
            for w in range(n):
                hints.pi_h[t, w] = parent[w]
                hints.color[t, w, walk.color[w]] = 1
                hints.d[t, w] = d[w]
                hints.f[t, w] = f[w]
                hints.s_prev[t, w] = walk.s_prev[w]
            hints.s[t, s] = hints.u[t, u] = hints.v[t, v] = hints.s_last[t, top] = 1
            hints.time[t] = time
        t += 1


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        outputs.pi[b], lengths[b] = dfs(inputs.A[b], of_sample(hints, b))


ALGORITHM = Algorithm(
    name="dfs",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.5), directed=True),
    run=run,
    lengths_at_16=(48, 48),
    rows=lambda n: 3 * n,
)
