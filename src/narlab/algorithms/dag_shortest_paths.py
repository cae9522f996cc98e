"""Shortest paths in an acyclic graph (CLRS 24.2): each node's parent, found in topological order from the source."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, jitted, of_sample, records
from narlab.algorithms.parts.depth_first import BEGIN, CLOSE, END, following, new_walk
from narlab.algorithms.parts.topological import check_acyclic, prepend
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
    Probe.hint("mark", Location.NODE, Type.MASK, meaning="whether a path to the node has been found"),
    Probe.hint("topo_h", Location.NODE, Type.POINTER, meaning=Meaning.TOPOLOGICAL_SO_FAR),
    Probe.hint(
        "topo_head_h",
        Location.NODE,
        Type.MASK_ONE,
        meaning="the first node of the order found so far; in the second phase, the node whose arcs are next",
    ),
    Probe.hint("color", Location.NODE, Type.CATEGORICAL, categories=3, meaning=Meaning.COLOR),
    Probe.hint("s_prev", Location.NODE, Type.POINTER, meaning=Meaning.STACK_LINK),
    Probe.hint("u", Location.NODE, Type.MASK_ONE, meaning=Meaning.CURRENT),
    Probe.hint("v", Location.NODE, Type.MASK_ONE, meaning=Meaning.NEIGHBOUR),
    Probe.hint("s_last", Location.NODE, Type.MASK_ONE, meaning=Meaning.STACK_TOP),
    Probe.hint("phase", Location.GRAPH, Type.MASK, meaning="0 while the order is found, 1 while paths are"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def dag_shortest_paths(A, source, hints):
    """Return each node's parent, [N], and the number of rows."""
    n = len(A)
    walk = new_walk(n, np.array([source]), False)
    parent, d, mark = np.arange(n), np.zeros(n), np.zeros(n, np.bool_)  # unreached nodes point to themselves
    topo, head = np.arange(n), 0
    event = BEGIN
    phase, t = 0, 0
    while True:
        if phase == 0:
            event = following(event, A, walk, False)
            if event.kind == CLOSE:
                head = prepend(topo, head, event.u, walk.color)
            elif event.kind == END:
                phase = 1
                mark[source] = True
        elif topo[head] == head:
            return parent, t
        else:
            for v in range(n):
                if A[head, v] != 0 and (not mark[v] or d[head] + A[head, v] < d[v]):
                    d[v] = d[head] + A[head, v]
                    parent[v] = head
                    mark[v] = True
            head = topo[head]
        if t < len(hints.phase):  # probe
            for w in range(n):
                hints.pi_h[t, w] = parent[w]
                hints.d[t, w] = d[w]
                hints.mark[t, w] = mark[w]
                hints.topo_h[t, w] = topo[w]
                hints.color[t, w, walk.color[w]] = 1
                hints.s_prev[t, w] = walk.s_prev[w]
            hints.topo_head_h[t, head] = 1
            hints.u[t, event.u] = hints.v[t, event.v] = hints.s_last[t, event.top] = 1
            hints.phase[t] = phase
        t += 1


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        source = np.argmax(inputs.s[b])
        outputs.pi[b], lengths[b] = dag_shortest_paths(inputs.A[b], source, of_sample(hints, b))


@compiled
def judge(inputs, outputs, verdicts):
    judge_shortest_paths(inputs, outputs, verdicts)


ALGORITHM = Algorithm(
    name="dag_shortest_paths",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.5), directed=True, acyclic=True, weighted=True, source=True),
    run=run,
    lengths_at_16=(4, 49),
    rows=lambda n: 3 * n + 1,  # the most, if all nodes are reached, as they are somewhere in nearly every batch
    check=check_acyclic,
    validity=shortest_paths(
        judge,
        theorem="DAG shortest paths (CLRS 24.2): relaxed in topological order, the parents are a shortest-paths tree",
    ),
)
