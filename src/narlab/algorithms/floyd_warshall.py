"""Floyd-Warshall (CLRS 25.2): for each pair of nodes, the last node before the end of a shortest path.

The benchmark gives a node with a self-loop the shortest closed walk from the node to itself, which the self-loop is or
not; a node without one points to itself.
"""

from dataclasses import replace

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
from narlab.algorithms.engine.validity import number, path_defects, tied, ties
from narlab.algorithms.parts.negative_cycles import check_no_negative_cycle_anywhere, shortest_walks
from narlab.algorithms.parts.valid_paths import Paths, conclude, judge_reachable, measure_arcs, new_paths
from narlab.algorithms.sampling.graphs import ErdosRenyi, GraphSampler
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("A", Location.EDGE, Type.SCALAR, meaning=Meaning.WEIGHTED),
    Probe.input("adj", Location.EDGE, Type.MASK, meaning=Meaning.ADJ),
    Probe.output(
        "Pi",
        Location.EDGE,
        Type.POINTER,
        meaning="the last node before the second on a shortest path from the first; without one, the first itself",
    ),
    Probe.hint("Pi_h", Location.EDGE, Type.POINTER, meaning="the same for the shortest path found so far"),
    Probe.hint("D", Location.EDGE, Type.SCALAR, meaning="the length of the shortest path found so far"),
    Probe.hint(
        "msk", Location.EDGE, Type.MASK, meaning="whether a path from the first node to the second has been found"
    ),
    Probe.hint("k", Location.NODE, Type.MASK_ONE, meaning="the node through which paths may lead from now on"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@in_place
def probe(hints, k, Pi, D, known):
    """Write the row of node k, if rows are wanted."""
    if k < len(hints.k):
        n = len(D)
        for i in range(n):
            for j in range(n):
                hints.Pi_h[k, i, j] = Pi[i, j]
                hints.D[k, i, j] = D[i, j]
                hints.msk[k, i, j] = known[i, j]
        hints.k[k, k] = 1


@jitted
def floyd_warshall(A, adj, Pi, hints):
    """Fill `Pi`, [N, N]; return the number of rows."""
    n = len(A)
    D, known = A.copy(), adj.copy()
    for i in range(n):
        for j in range(n):
            Pi[i, j] = i
    for k in range(n):
        probe(hints, k, Pi, D, known)  # probe
        to_k, from_k = D[:, k].copy(), D[k].copy()  # negative weights would change them on the way
        for i in range(n):
            if known[i, k]:
                for j in range(n):
                    if known[k, j] and (not known[i, j] or to_k[i] + from_k[j] < D[i, j]):
                        D[i, j], Pi[i, j], known[i, j] = to_k[i] + from_k[j], Pi[k, j], 1
    return n


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        lengths[b] = floyd_warshall(inputs.A[b], inputs.adj[b], outputs.Pi[b], of_sample(hints, b))


@in_place
def measure_all_distances(A, D):
    """Fill `D`, [N, N], infinite where no path leads."""
    n = len(A)
    for i in range(n):
        for j in range(n):
            D[i, j] = A[i, j] if A[i, j] != 0 else np.inf
        D[i, i] = 0.0
    for k in range(n):
        from_k = D[k]
        for i in range(n):
            to_k, row = D[i, k], D[i]
            if to_k < np.inf:
                for j in range(n):
                    row[j] = min(row[j], to_k + from_k[j])


@in_place
def closed_walk(A, i, distance):
    """The length of a shortest closed walk from node i, which has a self-loop."""
    best = A[i, i]
    for p in range(len(A)):
        if (p != i) & (A[p, i] != 0):
            best = min(best, distance[p] + A[p, i])
    return best


@in_place
def judge_diagonal(A, i, p, paths):
    """Whether `p` is right as the last node of the closed walk from i to i, the walk's length, and the best."""
    if A[i, i] == 0:
        return p == i, 0.0 if p == i else np.inf, 0.0
    best = closed_walk(A, i, paths.distance)
    arc = A[p, i] if A[p, i] != 0 else np.inf
    distance, length = (0.0, 0.0) if p == i else (paths.distance[p], paths.length[p])
    return ties(distance + arc, best), length + arc, best


@in_place
def judge_row(A, i, Pi, paths, right):
    """Judge the paths from node i and the closed walk, with the same results as `judge_reachable`; fill `right`."""
    measure_arcs(A, Pi, paths.arc)
    tight, solved, excess, best = judge_reachable(Pi, i, paths, right)
    right[i], length, shortest = judge_diagonal(A, i, Pi[i], paths)
    tight &= right[i]
    solved &= length < np.inf
    for j in range(len(A)):
        if paths.distance[j] == np.inf:
            right[j] = Pi[j] == i  # as the benchmark leaves it
            solved &= right[j]
    return tight, solved, excess + max(0.0, length - shortest), best + shortest


@compiled
def judge(inputs, outputs, verdicts):
    n = inputs.A.shape[1]
    D, (_, arc, length, walked) = np.empty((n, n)), new_paths(n)
    for b in range(len(verdicts.valid)):
        A = inputs.A[b]
        measure_all_distances(A, D)
        tight, solved, excess, best = True, True, 0.0, 0.0
        for i in range(n):
            paths = Paths(D[i], arc, length, walked)
            row = judge_row(A, i, outputs.Pi[b, i], paths, verdicts.elements.Pi[b, i])
            tight &= row[0]
            solved &= row[1]
            excess += row[2]
            best += row[3]
        verdicts.valid[b], verdicts.gap[b] = conclude(tight, solved, excess, best)


def diagonal_defects(A, i, p, distance):
    """Why `p` is not the last node of a shortest closed walk from i to i."""
    if A[i, i] == 0:
        fine, reason = p == i, "it has no self-loop and must point to itself"
    elif A[p, i] == 0:
        fine, reason = False, f"no edge leads from {p} to {i}"
    else:
        length, best = (0.0 if p == i else distance[p]) + A[p, i], closed_walk.py_func(A, i, distance)
        fine, reason = tied(length, best), f"the walk there and back is {number(length)} long, not {number(best)}"
    return [] if fine else [Defect(f"from {i} to itself: node {i} points to {p}, but {reason}", (i, p), ((p, i),))]


def defects(inputs, outputs):
    A, Pi = inputs["A"], outputs["Pi"].astype(int)
    arcs = np.where(A != 0, A, np.inf)
    D = shortest_walks(np.where(np.eye(len(A), dtype=bool), 0.0, arcs))
    found = []
    for i, row in enumerate(Pi):
        found += diagonal_defects(A, i, row[i], D[i])
        apart = np.flatnonzero(D[i] == np.inf)
        for j in apart[row[apart] != i]:
            text = f"from {i} to {j}: there is no path, and node {j} must point to {i}, not to {row[j]}"
            found.append(Defect(text, (i, int(j))))
        row[apart], row[i] = apart, i  # as in a tree of paths from i alone
        found += [replace(defect, text=f"from {i}: {defect.text}") for defect in path_defects(row, i, D[i], arcs)]
    return found


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="for each i, following Pi[i] from j leads to i along a shortest path; where there is no path, Pi[i, j] is i",
    theorem="predecessor matrix (CLRS 25.2): its row i is a tree of shortest paths from i",
    ties="any predecessor on a shortest path, with lengths equal within the tolerance; a cycle of ties is an error; "
    "Pi[i, i] is i or, with a self-loop, the last node of any shortest closed walk from i",
    elements="the last arc is tight: distance to Pi[i, j] + weight to j = distance to j",
    value="the length of the paths between all pairs, summed, and of the closed walks of nodes with self-loops",
    check=check_no_negative_cycle_anywhere,
)

ALGORITHM = Algorithm(
    name="floyd_warshall",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.5), weighted=True),
    run=run,
    lengths_at_16=(16, 16),
    rows=lambda n: n,
    validity=VALIDITY,
)
