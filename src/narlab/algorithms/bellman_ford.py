"""Bellman-Ford (CLRS 24.1): each node's parent on a shortest path from the source, by rounds over all edges."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, in_place, jitted, of_sample, records
from narlab.algorithms.parts.negative_cycles import check_no_negative_cycle
from narlab.algorithms.parts.valid_paths import judge_shortest_paths, shortest_paths
from narlab.algorithms.sampling.graphs import ErdosRenyi, GraphSampler
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("s", Location.NODE, Type.MASK_ONE, meaning=Meaning.SOURCE),
    Probe.input("A", Location.EDGE, Type.SCALAR, meaning=Meaning.WEIGHTED),
    Probe.input("adj", Location.EDGE, Type.MASK, meaning=Meaning.ADJ),
    Probe.output("pi", Location.NODE, Type.POINTER, meaning=Meaning.PARENT),
    Probe.hint("pi_h", Location.NODE, Type.POINTER, meaning=Meaning.PARENT_SO_FAR),
    Probe.hint("d", Location.NODE, Type.SCALAR, meaning="the length of the shortest path found so far; 0 before"),
    Probe.hint("msk", Location.NODE, Type.MASK, meaning="whether a path to the node has been found"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@in_place
def probe(hints, t, parent, d, reached):
    """Write row t, if rows are wanted; return the number of rows so far."""
    if t < len(hints.pi_h):
        for v in range(len(parent)):
            hints.pi_h[t, v] = parent[v]
            hints.d[t, v] = d[v]
            hints.msk[t, v] = reached[v]
    return t + 1


@jitted
def bellman_ford(A, source, hints):
    """Return each node's parent, [N], and the number of rounds."""
    n = len(A)
    parent, d = np.arange(n), np.zeros(n)  # unreached nodes point to themselves
    reached = np.zeros(n, np.bool_)
    reached[source] = True
    t = 0
    while True:
        t = probe(hints, t, parent, d, reached)  # probe
        before, senders = d.copy(), reached.copy()
        for u in range(n):
            if senders[u]:
                for v in range(n):
                    length = before[u] + A[u, v]
                    if (A[u, v] != 0) & ((not reached[v]) | (length < d[v])):
                        d[v], parent[v], reached[v] = length, u, True
        if (d == before).all():
            return parent, t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        source = np.argmax(inputs.s[b])
        outputs.pi[b], lengths[b] = bellman_ford(inputs.A[b], source, of_sample(hints, b))


@compiled
def judge(inputs, outputs, verdicts):
    judge_shortest_paths(inputs, outputs, verdicts)


ALGORITHM = Algorithm(
    name="bellman_ford",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.5), weighted=True, source=True),
    run=run,
    lengths_at_16=(1, 8),
    check=check_no_negative_cycle,
    validity=shortest_paths(
        judge,
        theorem="Bellman-Ford is correct (CLRS 24.1): without negative cycles, its parents are a shortest-paths tree",
    ),
)
