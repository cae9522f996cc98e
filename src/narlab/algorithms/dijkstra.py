"""Dijkstra's algorithm (CLRS 24.3): each node's parent on a shortest path from the source."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, jitted, of_sample, records
from narlab.algorithms.engine.checking import check_no_negative_weights
from narlab.algorithms.parts.nearest_first import NOBODY, attach, extract_nearest, improves, new_tree, probe
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
    Probe.hint("mark", Location.NODE, Type.MASK, meaning=Meaning.DONE),
    Probe.hint("in_queue", Location.NODE, Type.MASK, meaning=Meaning.IN_QUEUE),
    Probe.hint("u", Location.NODE, Type.MASK_ONE, meaning="the node taken out of the queue last"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def dijkstra(A, source, hints):
    """Return each node's parent, [N], and the number of rows."""
    tree = new_tree(len(A), source)
    u, t = source, 0
    while u != NOBODY:
        t = probe(hints, t, tree, u)  # probe
        u = extract_nearest(tree)
        if u != NOBODY:
            d = tree.key[u]
            for v in range(len(A)):
                if (A[u, v] != 0) & improves(tree, v, d + A[u, v]):
                    attach(tree, u, v, d + A[u, v])
    return tree.parent, t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        source = np.argmax(inputs.s[b])
        outputs.pi[b], lengths[b] = dijkstra(inputs.A[b], source, of_sample(hints, b))


@compiled
def judge(inputs, outputs, verdicts):
    judge_shortest_paths(inputs, outputs, verdicts)


ALGORITHM = Algorithm(
    name="dijkstra",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.5), weighted=True, source=True),
    run=run,
    lengths_at_16=(2, 17),
    rows=lambda n: n + 1,  # the most, if all nodes are reached, as they are somewhere in nearly every batch
    validity=shortest_paths(
        judge,
        theorem="Dijkstra is correct (CLRS 24.3): without negative weights, its parents are a shortest-paths tree",
        check=check_no_negative_weights,
    ),
)
