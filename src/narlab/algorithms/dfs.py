"""Depth-first search (CLRS 22.3): the parent of each node in the depth-first forest, nodes in index order."""

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
from narlab.algorithms.engine.validity import chain, cycles, no_edge
from narlab.algorithms.parts.depth_first import BEGIN, CLOSE, END, OPEN, PUSH, following, new_walk
from narlab.algorithms.parts.valid_forests import is_depth_first, new_forest
from narlab.algorithms.sampling.graphs import ErdosRenyi, GraphSampler
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("A", Location.EDGE, Type.SCALAR, dtype="int8", benchmark_dtype="int64", meaning=Meaning.UNWEIGHTED),
    Probe.input("adj", Location.EDGE, Type.MASK, meaning=Meaning.ADJ),
    Probe.output(
        "pi",
        Location.NODE,
        Type.POINTER,
        meaning="the node's parent in the depth-first forest; roots point to themselves",
    ),
    Probe.hint("pi_h", Location.NODE, Type.POINTER, meaning=Meaning.PARENT_SO_FAR),
    Probe.hint("color", Location.NODE, Type.CATEGORICAL, categories=3, meaning=Meaning.COLOR),
    Probe.hint("d", Location.NODE, Type.SCALAR, meaning=Meaning.DISCOVERED),
    Probe.hint("f", Location.NODE, Type.SCALAR, meaning=Meaning.FINISHED),
    Probe.hint("s_prev", Location.NODE, Type.POINTER, meaning=Meaning.STACK_LINK),
    Probe.hint("s", Location.NODE, Type.MASK_ONE, meaning=Meaning.ROOT_OF_WALK),
    Probe.hint("u", Location.NODE, Type.MASK_ONE, meaning=Meaning.CURRENT),
    Probe.hint("v", Location.NODE, Type.MASK_ONE, meaning=Meaning.NEIGHBOUR),
    Probe.hint("s_last", Location.NODE, Type.MASK_ONE, meaning=Meaning.STACK_TOP),
    Probe.hint("time", Location.GRAPH, Type.SCALAR, meaning=Meaning.TIME),
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


@in_place
def judge_arcs(A, pi, right):
    """Fill `right`: whether each node is a root or has an arc from its parent; return whether all are."""
    valid = True
    for v in range(len(pi)):
        right[v] = (pi[v] == v) | (A[pi[v], v] != 0)
        valid &= right[v]
    return valid


@compiled
def judge(inputs, outputs, verdicts):
    forest = new_forest(inputs.A.shape[1])
    for b in range(len(verdicts.valid)):
        A, pi = inputs.A[b], outputs.pi[b]
        verdicts.valid[b] = judge_arcs(A, pi, verdicts.elements.pi[b]) and is_depth_first(A, pi, forest)


def branches(pi, u, v):
    """The siblings that `u` and `v` descend from, or None if one descends from the other."""

    def from_root(node):
        path = [node]
        while pi[path[-1]] != path[-1]:
            path.append(int(pi[path[-1]]))
        return path[::-1]

    for c, d in zip(from_root(u), from_root(v), strict=False):
        if c != d:
            return c, d
    return None


def order_defects(A, pi):
    """A defect for each set of siblings that can come in no order: each has an arc into the subtree of the next."""
    demands: dict[
        int, dict[int, tuple[int, int]]
    ] = {}  # of a node: its siblings that must come before, each with an arc that says so
    for u, v in np.argwhere(A).tolist():
        split = branches(pi, u, v)
        if split is not None:
            demands.setdefault(split[0], {}).setdefault(split[1], (u, v))
    while free := [c for c in demands if not any(d in demands for d in demands[c])]:
        for c in free:
            del demands[c]
    earlier = np.arange(len(pi))  # of each node that is left, one that must come before and is left, too
    for c in demands:
        earlier[c] = next(d for d in demands[c] if d in demands)
    found = []
    for cycle in (defect.nodes for defect in cycles(earlier)):
        arcs = tuple(demands[c][int(earlier[c])] for c in cycle)
        whose = "roots" if pi[cycle[0]] == cycle[0] else f"children of {pi[cycle[0]]}"
        order = ", ".join(f"{chain(arc)} wants {earlier[c]} before {c}" for c, arc in zip(cycle, arcs, strict=True))
        found.append(Defect(f"no order of the {whose}: edge {order}", cycle, arcs))
    return found


def defects(inputs, outputs):
    A, pi = inputs["A"], outputs["pi"]
    found = [no_edge(v, int(p), A != 0) for v, p in enumerate(pi) if p != v and not A[p, v]]
    circles = cycles(pi)
    return found + (circles or order_defects(A, pi))


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="the pointers form a forest of arcs that a depth-first search gives with some order of roots and neighbours",
    theorem="no arc leads from a finished node to one discovered later (CLRS 22.3, white-path theorem): "
    "the arcs between siblings' subtrees must be acyclic",
    ties="any order of roots and of neighbours; a forest that no order gives is an error",
    elements="the node is a root, or an arc leads from its parent to it; some depth-first forest has each such pointer",
    value=None,
)

ALGORITHM = Algorithm(
    name="dfs",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.5), directed=True),
    run=run,
    lengths_at_16=(48, 48),
    rows=lambda n: 3 * n,
    validity=VALIDITY,
)
