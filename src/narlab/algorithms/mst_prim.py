"""Prim's algorithm (CLRS 23.2): each node's parent in the minimum spanning tree that grows from the start node."""

import numpy as np

from narlab.algorithms.engine import Algorithm, Validity, compiled, in_place, jitted, of_sample, records
from narlab.algorithms.engine.checking import check_undirected
from narlab.algorithms.engine.validity import cycles, no_edge, no_path, out_of_place, reached_from, tied, too_heavy
from narlab.algorithms.parts.nearest_first import NOBODY, attach, extract_nearest, improves, new_tree, probe
from narlab.algorithms.parts.valid_paths import measure_arcs, measure_paths, new_paths
from narlab.algorithms.parts.valid_spanning_trees import begin, grow, judge_weight, new_growth
from narlab.algorithms.sampling.graphs import ErdosRenyi, GraphSampler
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("s", Location.NODE, Type.MASK_ONE, meaning=Meaning.SOURCE),
    Probe.input("A", Location.EDGE, Type.SCALAR, meaning=Meaning.WEIGHTED),
    Probe.input("adj", Location.EDGE, Type.MASK, meaning=Meaning.ADJ),
    Probe.output("pi", Location.NODE, Type.POINTER, meaning=Meaning.PARENT),
    Probe.hint("pi_h", Location.NODE, Type.POINTER, meaning=Meaning.PARENT_SO_FAR),
    Probe.hint(
        "key",
        Location.NODE,
        Type.SCALAR,
        meaning="the weight of the lightest edge that joins the node to the tree so far; 0 before",
    ),
    Probe.hint("mark", Location.NODE, Type.MASK, meaning=Meaning.DONE),
    Probe.hint("in_queue", Location.NODE, Type.MASK, meaning=Meaning.IN_QUEUE),
    Probe.hint("u", Location.NODE, Type.MASK_ONE, meaning="the node that joined the tree last"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def mst_prim(A, source, hints):
    """Return each node's parent, [N], and the number of rows."""
    tree = new_tree(len(A), source)
    u, t = source, 0
    while u != NOBODY:
        t = probe(hints, t, tree, u)  # probe
        u = extract_nearest(tree)
        if u != NOBODY:
            for v in range(len(A)):
                if (A[u, v] != 0) & improves(tree, v, A[u, v]):
                    attach(tree, u, v, A[u, v])
    return tree.parent, t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        source = np.argmax(inputs.s[b])
        outputs.pi[b], lengths[b] = mst_prim(inputs.A[b], source, of_sample(hints, b))


@in_place
def weigh(A, pi, source, paths, growth):
    """Whether the parents are a spanning tree of what the source reaches; its weight; the least weight.

    `growth` becomes the minimum spanning tree that is nearest to them.
    """
    wants_parent(pi, growth.wish)
    begin(growth)
    best = grow(A, source, growth)
    measure_arcs(A, pi, paths.arc)
    measure_paths(pi, source, paths)
    solved, total = True, 0.0
    for v in range(len(pi)):
        if v == source or not growth.done[v]:
            solved &= pi[v] == v
        else:
            solved &= paths.length[v] < np.inf
            total += paths.arc[v]
    return solved, total, best


@in_place
def wants_parent(pi, wish):
    """Fill `wish`: only the arcs from parents are wanted."""
    wish[:] = 0
    for v in range(len(pi)):
        wish[pi[v], v] = 1


@compiled
def judge(inputs, outputs, verdicts):
    n = inputs.A.shape[1]
    paths, growth = new_paths(n), new_growth(n)
    for b in range(len(verdicts.valid)):
        pi, source = outputs.pi[b], np.argmax(inputs.s[b])
        solved, total, best = weigh(inputs.A[b], pi, source, paths, growth)
        valid, verdicts.gap[b] = judge_weight(solved, total, best)
        verdicts.valid[b] = valid
        for v in range(n):
            verdicts.elements.pi[b, v] = valid | (pi[v] == growth.parent[v])


@compiled
def weights_of(A, pi, source):
    return weigh(A, pi, source, new_paths(len(A)), new_growth(len(A)))


def defects(inputs, outputs):
    A, pi, source = inputs["A"], outputs["pi"], int(inputs["s"].argmax())
    reached = reached_from(A, source)
    found = []
    for v, p in enumerate(pi.tolist()):
        if v == source or v not in reached:
            found += [out_of_place(v, p, source)] if p != v else []
        elif p == v:
            found.append(no_path(v))
        elif A[p, v] == 0:
            found.append(no_edge(v, p, A != 0))
    found += cycles(pi)
    _, total, best = weights_of(A, pi, source)
    if not found and not tied(total, best):
        found.append(too_heavy(A, [(p, v) for v, p in enumerate(pi.tolist()) if p != v], total, best))
    return found


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="the pointers form a spanning tree of least weight of what the source reaches, the source its root; "
    "the source and unreachable nodes point to themselves",
    theorem="minimum spanning tree (CLRS 23): no spanning tree weighs less than the one that grows by light edges",
    ties="any spanning tree whose weight is the least within the tolerance; a heavier one is an error, "
    "and so is a pointer away from the source",
    elements="the pointer is that of the minimum spanning tree that takes the answer's edges where weights are equal",
    value="the weight of the tree",
    check=check_undirected,
)

ALGORITHM = Algorithm(
    name="mst_prim",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.5), weighted=True, source=True),
    run=run,
    lengths_at_16=(2, 17),
    rows=lambda n: n + 1,  # the most, if all nodes are reached, as they are somewhere in nearly every batch
    validity=VALIDITY,
)
