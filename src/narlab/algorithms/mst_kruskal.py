"""Kruskal's algorithm (CLRS 23.2): the edges of a minimum spanning forest, by weight, with a union-find forest."""

from collections import namedtuple

import numpy as np

from narlab.algorithms.engine import Algorithm, Defect, Validity, compiled, in_place, jitted, of_sample, records
from narlab.algorithms.engine.checking import check_no_negative_weights, check_undirected
from narlab.algorithms.engine.validity import marked_once, tied, too_heavy
from narlab.algorithms.parts.order import stable_order
from narlab.algorithms.parts.valid_spanning_trees import begin, grow, judge_weight, new_growth, unite, weigh_marks
from narlab.algorithms.sampling.graphs import ErdosRenyi, GraphSampler
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("A", Location.EDGE, Type.SCALAR, meaning=Meaning.WEIGHTED),
    Probe.input("adj", Location.EDGE, Type.MASK, meaning=Meaning.ADJ),
    Probe.output(
        "in_mst", Location.EDGE, Type.MASK, meaning="whether the edge belongs to the minimum spanning forest, both ways"
    ),
    Probe.hint("in_mst_h", Location.EDGE, Type.MASK, meaning="whether the edge belongs to the forest so far"),
    Probe.hint(
        "pi", Location.NODE, Type.POINTER, meaning="the union-find forest: the node's parent; roots point to themselves"
    ),
    Probe.hint("u", Location.NODE, Type.MASK_ONE, meaning="one end of the edge that is looked at, by weight"),
    Probe.hint("v", Location.NODE, Type.MASK_ONE, meaning="its other end"),
    Probe.hint("root_u", Location.NODE, Type.MASK_ONE, meaning="the root of the first end, as far as it was climbed"),
    Probe.hint("root_v", Location.NODE, Type.MASK_ONE, meaning="the root of the other end, as far as it was climbed"),
    Probe.hint("mask_u", Location.NODE, Type.MASK, meaning="the nodes on the climb from the first end"),
    Probe.hint("mask_v", Location.NODE, Type.MASK, meaning="the nodes on the climb from the other end"),
    Probe.hint(
        "phase",
        Location.GRAPH,
        Type.CATEGORICAL,
        categories=3,
        meaning="edge done, climb from its first end, climb from its other end",
    ),
)
Inputs, Outputs, Hints = records(__name__, PROBES)
State = namedtuple("State", "in_mst, pi, ends, roots, masks")  # ends, roots and masks: of u, then of v


@in_place
def probe(hints, t, state, phase):
    """Write row t, if rows are wanted; return the number of rows so far."""
    if t < len(hints.phase):
        in_mst, pi, ends, roots, masks = state
        for i in range(len(pi)):
            for j in range(len(pi)):
                hints.in_mst_h[t, i, j] = in_mst[i, j]
            hints.pi[t, i] = pi[i]
            hints.mask_u[t, i] = masks[0, i]
            hints.mask_v[t, i] = masks[1, i]
        hints.u[t, ends[0]] = hints.v[t, ends[1]] = 1
        hints.root_u[t, roots[0]] = hints.root_v[t, roots[1]] = 1
        hints.phase[t, phase] = 1
    return t + 1


@jitted
def edges_by_weight(A):
    """The pairs u < v with a positive weight, the lightest first, [E, 2]."""
    n = len(A)
    edges, weights = np.empty((n * (n - 1) // 2, 2), np.int64), np.empty(n * (n - 1) // 2)
    count = 0
    for u in range(n):
        for v in range(u + 1, n):
            if A[u, v] > 0:
                edges[count, 0], edges[count, 1], weights[count] = u, v, A[u, v]
                count += 1
    return edges[stable_order(weights[:count])]


@in_place
def climb(pi, root, mask):
    """Go from `root` to its parent, hang all nodes of the climbed path there and return it."""
    parent = pi[root]
    for i in range(len(pi)):
        if mask[i]:
            pi[i] = parent
    mask[parent] = True
    return parent


@jitted
def mst_kruskal(A, in_mst, hints):
    """Mark the forest's edges in `in_mst`, [N, N], all zero; return the number of rows."""
    n = len(A)
    pi, masks = np.arange(n), np.zeros((2, n), np.bool_)
    ends, roots = np.zeros(2, np.int64), np.zeros(2, np.int64)
    state = State(in_mst, pi, ends, roots, masks)
    t = probe(hints, 0, state, 0)  # probe
    for edge in edges_by_weight(A):
        masks[:] = False
        for side in range(2):
            ends[side] = roots[side] = edge[side]
            masks[side, edge[side]] = True
        t = probe(hints, t, state, 1)  # probe
        for side in range(2):
            while pi[roots[side]] != roots[side]:
                roots[side] = climb(pi, roots[side], masks[side])
                t = probe(hints, t, state, 1 + side)  # probe
        if roots[0] != roots[1]:
            u, v = edge
            in_mst[u, v] = in_mst[v, u] = 1
            pi[min(roots)] = max(roots)
        t = probe(hints, t, state, 0)  # probe
    return t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        outputs.in_mst[b] = 0  # the counting pass has left its marks
        lengths[b] = mst_kruskal(inputs.A[b], outputs.in_mst[b], of_sample(hints, b))


@in_place
def weigh(A, in_mst, leader, growth):
    """Whether the marks are a spanning forest; its weight; the least weight.

    `growth` becomes the minimum spanning forest that is nearest to them.
    """
    n = len(A)
    for u in range(n):
        for v in range(n):
            growth.wish[u, v] = in_mst[u, v] + in_mst[v, u]
    begin(growth)
    best, needed = 0.0, n
    for root in range(n):
        if not growth.done[root]:
            best += grow(A, root, growth)
            needed -= 1
    is_forest, edges, total = weigh_marks(A, in_mst, leader)
    return is_forest & (edges == needed), total, best


@compiled
def judge(inputs, outputs, verdicts):
    n = inputs.A.shape[1]
    leader, growth = np.empty(n, np.int64), new_growth(n)
    for b in range(len(verdicts.valid)):
        in_mst = outputs.in_mst[b]
        solved, total, best = weigh(inputs.A[b], in_mst, leader, growth)
        valid, verdicts.gap[b] = judge_weight(solved, total, best)
        verdicts.valid[b] = valid
        for u in range(n):
            for v in range(n):
                joined = (u != v) & ((growth.parent[u] == v) | (growth.parent[v] == u))
                verdicts.elements.in_mst[b, u, v] = valid | ((in_mst[u, v] == 1) == joined)


@compiled
def weights_of(A, in_mst):
    return weigh(A, in_mst, np.empty(len(A), np.int64), new_growth(len(A)))


def mark_defects(A, in_mst):
    """Marks that are no edges or are on one side only."""
    found = []
    for u, v in np.argwhere(np.triu(in_mst | in_mst.T)).tolist():
        if u == v or A[u, v] == 0:
            found.append(Defect(f"{u} - {v} is marked, which is no edge", (u, v), ((u, v),)))
        elif in_mst[u, v] != in_mst[v, u]:
            found.append(marked_once(u, v))
    return found


def forest_defects(A, in_mst):
    """Edges that close a cycle of marked ones, and edges between trees that none connects."""
    found, leader = [], np.arange(len(A))
    for u, v in np.argwhere(np.triu(in_mst & (A != 0), 1)).tolist():
        if not unite.py_func(leader, u, v):
            found.append(Defect(f"edge {u} - {v} closes a cycle of marked edges", (u, v), ((u, v),)))
    for u, v in np.argwhere(np.triu(A, 1)).tolist():
        if unite.py_func(leader, u, v):
            found.append(Defect(f"no marked edges connect {u} and {v}, though there is an edge", (u, v), ((u, v),)))
    return found


def defects(inputs, outputs):
    A, in_mst = inputs["A"], outputs["in_mst"]
    found = mark_defects(A, in_mst) + forest_defects(A, in_mst)
    _, total, best = weights_of(A, in_mst)
    if not found and not tied(total, best):
        found.append(too_heavy(A, [(int(u), int(v)) for u, v in np.argwhere(np.triu(in_mst))], total, best))
    return found


def check_weights(arrays):
    """The graph is undirected, and no edge has a negative weight: the algorithm takes none of those."""
    check_undirected(arrays)
    check_no_negative_weights(arrays)


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="the marks, each in both directions, are the edges of a spanning forest of least weight",
    theorem="minimum spanning tree (CLRS 23): no spanning forest weighs less than the one that grows by light edges",
    ties="any spanning forest whose weight is the least within the tolerance; a heavier one is an error",
    elements="the mark is that of the minimum spanning forest that takes the answer's edges where weights are equal",
    value="the weight of the forest",
    check=check_weights,
)

ALGORITHM = Algorithm(
    name="mst_kruskal",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.2), weighted=True),
    run=run,
    lengths_at_16=(1, 38),
    validity=VALIDITY,
)
