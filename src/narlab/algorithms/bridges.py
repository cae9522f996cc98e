"""Bridges (CLRS problem 22-2): the edges without which a connected component falls apart."""

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
from narlab.algorithms.engine.checking import check_undirected
from narlab.algorithms.engine.validity import marked_once
from narlab.algorithms.parts.depth_first import BEGIN, CLOSE, END, new_walk
from narlab.algorithms.parts.low_links import following_link, new_links, show
from narlab.algorithms.parts.valid_cuts import cuts_of, find_cuts, new_cuts
from narlab.algorithms.sampling.graphs import ErdosRenyi, GraphSampler
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("A", Location.EDGE, Type.SCALAR, dtype="int8", benchmark_dtype="int64", meaning=Meaning.UNWEIGHTED),
    Probe.input("adj", Location.EDGE, Type.MASK, meaning=Meaning.ADJ),
    Probe.output(
        "is_bridge",
        Location.EDGE,
        Type.MASK,
        meaning="whether the graph falls apart without the edge; pairs without an edge don't count (-1)",
    ),
    Probe.hint(
        "is_bridge_h",
        Location.EDGE,
        Type.MASK,
        meaning="whether the edge is known to be a bridge; pairs without an edge don't count (-1)",
    ),
    Probe.hint("pi_h", Location.NODE, Type.POINTER, meaning=Meaning.PARENT_SO_FAR),
    Probe.hint("color", Location.NODE, Type.CATEGORICAL, categories=3, meaning=Meaning.COLOR),
    Probe.hint("d", Location.NODE, Type.SCALAR, meaning=Meaning.DISCOVERED),
    Probe.hint("f", Location.NODE, Type.SCALAR, meaning=Meaning.FINISHED),
    Probe.hint("low", Location.NODE, Type.SCALAR, meaning=Meaning.LOW),
    Probe.hint("s_prev", Location.NODE, Type.POINTER, meaning=Meaning.STACK_LINK),
    Probe.hint("s", Location.NODE, Type.MASK_ONE, meaning=Meaning.ROOT_OF_WALK),
    Probe.hint("u", Location.NODE, Type.MASK_ONE, meaning=Meaning.CURRENT),
    Probe.hint("v", Location.NODE, Type.MASK_ONE, meaning=Meaning.NEIGHBOUR),
    Probe.hint("s_last", Location.NODE, Type.MASK_ONE, meaning=Meaning.STACK_TOP),
    Probe.hint("time", Location.GRAPH, Type.SCALAR, meaning=Meaning.TIME),
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


@in_place
def joins(cuts, u, v):
    """Whether the edge of `u` and `v` is a bridge."""
    below_u, below_v = cuts.parent[v] == u, cuts.parent[u] == v
    return (below_u & cuts.is_bridge[v]) | (below_v & cuts.is_bridge[u])


@in_place
def judge_marks(adj, is_bridge, cuts, right):
    """Fill `right` for all pairs, those that are no edges left out; return whether all are."""
    valid = True
    for u in range(len(adj)):
        for v in range(len(adj)):
            right[u, v] = (adj[u, v] == 0) | ((is_bridge[u, v] == 1) == joins(cuts, u, v))
            valid &= right[u, v]
    return valid


@compiled
def judge(inputs, outputs, verdicts):
    cuts = new_cuts(inputs.A.shape[1])
    for b in range(len(verdicts.valid)):
        find_cuts(inputs.A[b], cuts)
        verdicts.valid[b] = judge_marks(inputs.adj[b], outputs.is_bridge[b], cuts, verdicts.elements.is_bridge[b])


def defects(inputs, outputs):
    marked, cuts = outputs["is_bridge"] == 1, cuts_of(inputs["A"])
    found = []
    for u, v in np.argwhere(np.triu(inputs["adj"])).tolist():
        bridge, marks = joins.py_func(cuts, u, v), int(marked[u, v]) + int(marked[v, u])
        edge = f"edge {u} - {v}"
        if u == v and marks:
            found.append(Defect(f"node {u} with itself is marked, which is no bridge", (u,)))
        elif marks == 1:
            found.append(marked_once(u, v))
        elif marks and not bridge:
            found.append(Defect(f"{edge} is marked, but lies on a cycle", (u, v), ((u, v),)))
        elif bridge and not marks:
            found.append(Defect(f"{edge} is not marked, but without it {u} and {v} fall apart", (u, v), ((u, v),)))
    return found


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="exactly the bridges are marked, each in both directions",
    theorem="bridge (CLRS problem 22-2): an edge that lies on no cycle; found by low-links",
    ties="none: the set is unique; pairs that are no edges are masked, and whatever is answered there is not judged",
    elements="the mark of the pair is right; a pair that is no edge has nothing wrong",
    value=None,
    check=check_undirected,
    masked=lambda inputs: {"is_bridge": inputs["adj"] == 0},
)

ALGORITHM = Algorithm(
    name="bridges",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.2)),
    run=run,
    lengths_at_16=(48, 73),
    validity=VALIDITY,
)
