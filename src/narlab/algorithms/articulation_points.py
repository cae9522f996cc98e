"""Articulation points (CLRS problem 22-2): the nodes without which a connected component falls apart."""

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
from narlab.algorithms.engine.validity import reached_from
from narlab.algorithms.parts.depth_first import BEGIN, CLOSE, END, PUSH, new_walk
from narlab.algorithms.parts.low_links import following_link, new_links, show
from narlab.algorithms.parts.valid_cuts import cuts_of, find_cuts, new_cuts
from narlab.algorithms.sampling.graphs import ErdosRenyi, GraphSampler
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("A", Location.EDGE, Type.SCALAR, dtype="int8", benchmark_dtype="int64", meaning=Meaning.UNWEIGHTED),
    Probe.input("adj", Location.EDGE, Type.MASK, meaning=Meaning.ADJ),
    Probe.output("is_cut", Location.NODE, Type.MASK, meaning="whether the graph falls apart without the node"),
    Probe.hint("is_cut_h", Location.NODE, Type.MASK, meaning="whether the node is known to be an articulation point"),
    Probe.hint("pi_h", Location.NODE, Type.POINTER, meaning=Meaning.PARENT_SO_FAR),
    Probe.hint("color", Location.NODE, Type.CATEGORICAL, categories=3, meaning=Meaning.COLOR),
    Probe.hint("d", Location.NODE, Type.SCALAR, meaning=Meaning.DISCOVERED),
    Probe.hint("f", Location.NODE, Type.SCALAR, meaning=Meaning.FINISHED),
    Probe.hint("low", Location.NODE, Type.SCALAR, meaning=Meaning.LOW),
    Probe.hint(
        "child_cnt", Location.NODE, Type.SCALAR, meaning="the number of the node's children in the tree, in hundredths"
    ),
    Probe.hint("s_prev", Location.NODE, Type.POINTER, meaning=Meaning.STACK_LINK),
    Probe.hint("s", Location.NODE, Type.MASK_ONE, meaning=Meaning.ROOT_OF_WALK),
    Probe.hint("u", Location.NODE, Type.MASK_ONE, meaning=Meaning.CURRENT),
    Probe.hint("v", Location.NODE, Type.MASK_ONE, meaning=Meaning.NEIGHBOUR),
    Probe.hint("s_last", Location.NODE, Type.MASK_ONE, meaning=Meaning.STACK_TOP),
    Probe.hint("time", Location.GRAPH, Type.SCALAR, meaning=Meaning.TIME),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@in_place
def separates(u, links, children):
    """Whether the closed node `u` cuts one of its children's subtrees off."""
    if links.parent[u] == u:
        return children[u] > 0.01  # a root, if it has two children
    for v in range(len(links.parent)):
        if links.parent[v] == u and links.low[v] >= links.d[u]:
            return True
    return False


@jitted
def articulation_points(A, hints):
    """Return whether each node is an articulation point, [N], and the number of events."""
    n = len(A)
    walk, links, time = new_walk(n, np.arange(n), True), new_links(n), 0.0
    children = np.zeros(n)  # in hundredths
    is_cut = np.zeros(n, np.bool_)
    event = BEGIN
    t = 0
    while True:
        event, time = following_link(event, A, walk, links, time)
        if event.kind == PUSH:
            children[event.u] += 0.01
        elif event.kind == CLOSE:
            is_cut[event.u] = separates(event.u, links, children)
        elif event.kind == END:
            return is_cut, t
        if t < len(hints.time):  # probe
            show(hints, t, event, walk, links, time)
            for w in range(n):
                hints.is_cut_h[t, w] = is_cut[w]
                hints.child_cnt[t, w] = children[w]
        t += 1


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        outputs.is_cut[b], lengths[b] = articulation_points(inputs.A[b], of_sample(hints, b))


@compiled
def judge(inputs, outputs, verdicts):
    cuts = new_cuts(inputs.A.shape[1])
    for b in range(len(verdicts.valid)):
        find_cuts(inputs.A[b], cuts)
        valid = True
        for v in range(len(cuts.is_cut)):
            right = (outputs.is_cut[b, v] == 1) == cuts.is_cut[v]
            verdicts.elements.is_cut[b, v] = right
            valid &= right
        verdicts.valid[b] = valid


def defects(inputs, outputs):
    found = []
    for v in np.flatnonzero(outputs["is_cut"] != cuts_of(inputs["A"]).is_cut).tolist():
        if outputs["is_cut"][v]:
            found.append(Defect(f"node {v} is marked, but without it no two of its neighbours fall apart", (v,)))
        else:
            u, w = parted_neighbours(inputs["A"], v)
            found.append(
                Defect(f"node {v} is not marked, but without it {u} and {w} fall apart", (v,), ((v, u), (v, w)))
            )
    return found


def parted_neighbours(A, v):
    """Two neighbours of the cut vertex `v` that only it connects."""
    first, *others = (u for u in np.flatnonzero(A[v]).tolist() if u != v)
    reached = reached_from(A, first, without=v)
    return first, next(w for w in others if w not in reached)


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="exactly the articulation points are marked",
    theorem="articulation point (CLRS problem 22-2): a node without which its component is not connected; "
    "found by low-links",
    ties="none: the set is unique",
    elements="the mark of the node is right",
    value=None,
    check=check_undirected,
)

ALGORITHM = Algorithm(
    name="articulation_points",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.2)),
    run=run,
    lengths_at_16=(48, 73),
    validity=VALIDITY,
)
