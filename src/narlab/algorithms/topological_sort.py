"""Topological sort (CLRS 22.4): each node's successor in an order in which all arcs point forward."""

from itertools import pairwise

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
from narlab.algorithms.engine.validity import chain
from narlab.algorithms.parts.bitsets import add, close, collect_arcs, has, is_empty, meet, new_sets, within
from narlab.algorithms.parts.depth_first import BEGIN, CLOSE, END, following, new_walk
from narlab.algorithms.parts.topological import check_acyclic, prepend
from narlab.algorithms.sampling.graphs import ErdosRenyi, GraphSampler
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("A", Location.EDGE, Type.SCALAR, dtype="int8", benchmark_dtype="int64", meaning=Meaning.UNWEIGHTED),
    Probe.input("adj", Location.EDGE, Type.MASK, meaning=Meaning.ADJ),
    Probe.output("topo", Location.NODE, Type.POINTER, meaning=Meaning.TOPOLOGICAL),
    Probe.output("topo_head", Location.NODE, Type.MASK_ONE, meaning=Meaning.TOPOLOGICAL_HEAD),
    Probe.hint("topo_h", Location.NODE, Type.POINTER, meaning=Meaning.TOPOLOGICAL_SO_FAR),
    Probe.hint("topo_head_h", Location.NODE, Type.MASK_ONE, meaning=Meaning.TOPOLOGICAL_HEAD_SO_FAR),
    Probe.hint("color", Location.NODE, Type.CATEGORICAL, categories=3, meaning=Meaning.COLOR),
    Probe.hint("s_prev", Location.NODE, Type.POINTER, meaning=Meaning.STACK_LINK),
    Probe.hint("s", Location.NODE, Type.MASK_ONE, meaning=Meaning.ROOT_OF_WALK),
    Probe.hint("u", Location.NODE, Type.MASK_ONE, meaning=Meaning.CURRENT),
    Probe.hint("v", Location.NODE, Type.MASK_ONE, meaning=Meaning.NEIGHBOUR),
    Probe.hint("s_last", Location.NODE, Type.MASK_ONE, meaning=Meaning.STACK_TOP),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def topological_sort(A, hints):
    """Return each node's successor, [N], the first node and the number of events."""
    n = len(A)
    walk = new_walk(n, np.arange(n), False)
    topo, head = np.arange(n), 0  # the last node points to itself
    event = BEGIN
    t = 0
    while True:
        event = following(event, A, walk, False)
        kind, _, s, u, v, top = event
        if kind == CLOSE:
            head = prepend(topo, head, u, walk.color)
        elif kind == END:
            return topo, head, t
        if t < len(hints.topo_h):  # probe
            for w in range(n):
                hints.topo_h[t, w] = topo[w]
                hints.color[t, w, walk.color[w]] = 1
                hints.s_prev[t, w] = walk.s_prev[w]
            hints.topo_head_h[t, head] = 1
            hints.s[t, s] = hints.u[t, u] = hints.v[t, v] = hints.s_last[t, top] = 1
        t += 1


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        outputs.topo[b], head, lengths[b] = topological_sort(inputs.A[b], of_sample(hints, b))
        outputs.topo_head[b] = 0
        outputs.topo_head[b, head] = 1


@in_place
def judge_successors(topo, after, before, right):
    """Fill `right`: whether some topological order has each node's successor right behind it, or the node last.

    No path may lead back, and none to the successor over a third node. `after` are the heads of a node's arcs, `before`
    all nodes that have a path to it.
    """
    for v in range(len(topo)):
        successor = topo[v]
        if successor == v:
            right[v] = is_empty(after[v])
        else:
            right[v] = not has(before[v], successor) and not meet(after[v], before[successor])


@in_place
def lists_all_in_order(topo, head, before, listed):
    """Whether the list from `head` has each node once, behind all that have a path to it; `listed` is room."""
    listed[:] = 0
    v = head
    for _ in range(len(topo) - 1):
        if not within(before[v], listed) or topo[v] == v:
            return False
        add(listed, v)
        v = topo[v]
    return within(before[v], listed) and not has(listed, v) and topo[v] == v


@compiled
def judge(inputs, outputs, verdicts):
    n = inputs.A.shape[1]
    after, before, listed = new_sets(n, n), new_sets(n, n), new_sets(1, n)[0]
    for b in range(len(verdicts.valid)):
        topo, head = outputs.topo[b], np.argmax(outputs.topo_head[b])
        collect_arcs(inputs.A[b], after)
        collect_arcs(inputs.A[b].T, before)
        close(before)
        judge_successors(topo, after, before, verdicts.elements.topo[b])
        verdicts.elements.topo_head[b] = is_empty(before[head])
        verdicts.valid[b] = lists_all_in_order(topo, head, before, listed)


def defects(inputs, outputs):
    A, topo = inputs["A"], outputs["topo"]
    listed = [int(outputs["topo_head"].argmax())]
    while len(listed) <= len(topo) and topo[listed[-1]] not in listed:
        listed.append(int(topo[listed[-1]]))
    found, last = [], int(topo[listed[-1]])
    if last != listed[-1]:
        cycle = [*listed[listed.index(last) :], last]
        found.append(Defect(f"cycle {chain(cycle)}", tuple(cycle[:-1]), tuple(pairwise(cycle))))
    missing = tuple(v for v in range(len(topo)) if v not in listed)
    if missing:
        text = (
            f"the list from {listed[0]} has {len(listed)} of {len(topo)} nodes, without {', '.join(map(str, missing))}"
        )
        found.append(Defect(text, missing))
    for k, v in enumerate(listed):
        late = [u for u in listed[k + 1 :] if A[u, v]]
        if late:
            whom = ", ".join(map(str, late))
            text = f"node {v} is listed before {whom}, from where an edge leads to it"
            found.append(Defect(text, (v, *late), tuple((u, v) for u in late)))
    return found


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="from the head, the pointers list each node once, the last one points to itself, and all arcs lead forward",
    theorem="topological sort (CLRS 22.4): a linear order in which u comes before v for each arc (u, v)",
    ties="any such order; an arc that leads backward, a node left out or listed twice is an error",
    elements="some topological order has the successor right behind the node, the node last if it points to itself, "
    "and the head first",
    value=None,
)

ALGORITHM = Algorithm(
    name="topological_sort",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.5), directed=True, acyclic=True),
    run=run,
    lengths_at_16=(33, 43),
    check=check_acyclic,
    validity=VALIDITY,
)
