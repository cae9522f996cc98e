"""Breadth-first search (CLRS 22.2): the parent of each node, by rounds; the parent with the least index wins."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, jitted, of_sample, records
from narlab.algorithms.sampling.graphs import ErdosRenyi, GraphSampler
from narlab.specs import Location, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR),
    Probe.input("s", Location.NODE, Type.MASK_ONE),
    Probe.input("A", Location.EDGE, Type.SCALAR, dtype="int8", benchmark_dtype="int64"),
    Probe.input("adj", Location.EDGE, Type.MASK),
    Probe.output("pi", Location.NODE, Type.POINTER),
    Probe.hint("reach_h", Location.NODE, Type.MASK),
    Probe.hint("pi_h", Location.NODE, Type.POINTER),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def probe(hints, t, reached, parent):
    """Write row t, if rows are wanted; return the number of rows so far."""
    if t < len(hints.pi_h):
        for v in range(len(parent)):
            hints.reach_h[t, v] = reached[v]
            hints.pi_h[t, v] = parent[v]
    return t + 1


@jitted
def bfs(A, source, hints):
    """Return each node's parent, [N], and the number of rounds."""
    n = len(A)
    reached = np.zeros(n, np.bool_)
    parent = np.arange(n)  # unreached nodes point to themselves
    reached[source] = True
    t = 0
    while True:
        t = probe(hints, t, reached, parent)  # probe
        before = reached.copy()
        for u in range(n):
            if before[u]:
                for v in range(n):
                    if A[u, v] > 0:
                        if parent[v] == v and v != source:
                            parent[v] = u
                        reached[v] = True
        if (reached == before).all():
            return parent, t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        source = np.argmax(inputs.s[b])
        outputs.pi[b], lengths[b] = bfs(inputs.A[b], source, of_sample(hints, b))


ALGORITHM = Algorithm(
    name="bfs",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.5), source=True),
    run=run,
    lengths_at_16=(1, 7),
)
