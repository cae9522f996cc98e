"""Strongly connected components (CLRS 22.5): each node's representative, by two depth-first traversals."""

import numpy as np

from narlab.algorithms.engine import (
    Algorithm,
    Defect,
    Validity,
    compiled,
    in_place,
    jitted,
    of_sample,
    records,
)
from narlab.algorithms.parts.bitsets import close, collect_arcs, has, new_sets
from narlab.algorithms.parts.depth_first import BEGIN, CLOSE, END, OPEN, WHITE, Walk, following, new_walk
from narlab.algorithms.parts.negative_cycles import shortest_walks
from narlab.algorithms.sampling.graphs import Communities, GraphSampler
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("A", Location.EDGE, Type.SCALAR, dtype="int8", meaning=Meaning.UNWEIGHTED),
    Probe.input("adj", Location.EDGE, Type.MASK, meaning=Meaning.ADJ),
    Probe.output(
        "scc_id", Location.NODE, Type.POINTER, meaning="the component's representative, the same for all of its nodes"
    ),
    Probe.hint(
        "scc_id_h", Location.NODE, Type.POINTER, meaning="the representative found so far; before, the node itself"
    ),
    Probe.hint("A_t", Location.EDGE, Type.MASK, meaning="the reversed graph, with self-loops"),
    Probe.hint("color", Location.NODE, Type.CATEGORICAL, categories=3, meaning=Meaning.COLOR),
    Probe.hint("d", Location.NODE, Type.SCALAR, meaning=Meaning.DISCOVERED),
    Probe.hint("f", Location.NODE, Type.SCALAR, meaning=Meaning.FINISHED),
    Probe.hint("s_prev", Location.NODE, Type.POINTER, meaning=Meaning.STACK_LINK),
    Probe.hint("s", Location.NODE, Type.MASK_ONE, meaning=Meaning.ROOT_OF_WALK),
    Probe.hint("u", Location.NODE, Type.MASK_ONE, meaning=Meaning.CURRENT),
    Probe.hint("v", Location.NODE, Type.MASK_ONE, meaning=Meaning.NEIGHBOUR),
    Probe.hint("s_last", Location.NODE, Type.MASK_ONE, meaning=Meaning.STACK_TOP),
    Probe.hint("time", Location.GRAPH, Type.SCALAR, meaning=Meaning.TIME),
    Probe.hint("phase", Location.GRAPH, Type.MASK, meaning="0 in the first traversal, 1 in that of the reversed graph"),
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


@in_place
def judge_components(scc_id, reach, right):
    """Fill `right`: whether each node points to a member of its component; return whether all of one agree, too."""
    valid = True
    for v in range(len(scc_id)):
        r = scc_id[v]
        right[v] = (r == v) | (has(reach[v], r) & has(reach[r], v))
        valid &= right[v]
        for u in range(v):
            if has(reach[u], v) & has(reach[v], u):
                valid &= scc_id[u] == r
                break  # the others have been compared with this one
    return valid


@compiled
def judge(inputs, outputs, verdicts):
    n = inputs.A.shape[1]
    reach = new_sets(n, n)
    for b in range(len(verdicts.valid)):
        collect_arcs(inputs.A[b], reach)
        close(reach)
        verdicts.valid[b] = judge_components(outputs.scc_id[b], reach, verdicts.elements.scc_id[b])


def defects(inputs, outputs):
    scc_id = outputs["scc_id"].tolist()
    reach = np.isfinite(shortest_walks(np.where(inputs["A"] != 0, 0.0, np.inf))) | np.eye(len(scc_id), dtype=bool)
    found = []
    for v, r in enumerate(scc_id):
        if not reach[v, r] or not reach[r, v]:
            text = f"node {v} points to {r}, but no path leads " + (f"back to {v}" if reach[v, r] else "there")
            found.append(Defect(text, (v, r), ((v, r),)))
        first = int((reach[v] & reach[:, v]).argmax())
        if scc_id[first] != r:
            text = f"nodes {first} and {v} are of one component, but point to {scc_id[first]} and {r}"
            found.append(Defect(text, (first, v), ((first, scc_id[first]), (v, r))))
    return found


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="all nodes of a strongly connected component point to the same one of its members",
    theorem="strongly connected component (CLRS 22.5): a largest set of nodes with paths from each to each",
    ties="any member may stand for its component; two that stand for one, or one of another component, are errors",
    elements="the node points to a member of its own component",
    value=None,
)

ALGORITHM = Algorithm(
    name="strongly_connected_components",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(Communities(), directed=True),
    run=run,
    lengths_at_16=(84, 96),
    smallest=4,
    validity=VALIDITY,
)
