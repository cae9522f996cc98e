"""Breadth-first search (CLRS 22.2): the parent of each node, by rounds; the parent with the least index wins."""

import numpy as np

from narlab.algorithms.engine import Algorithm, Validity, compiled, in_place, jitted, of_sample, records
from narlab.algorithms.engine.validity import path_defects
from narlab.algorithms.parts.valid_paths import judge_paths, new_paths
from narlab.algorithms.sampling.graphs import ErdosRenyi, GraphSampler
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("s", Location.NODE, Type.MASK_ONE, meaning=Meaning.SOURCE),
    Probe.input("A", Location.EDGE, Type.SCALAR, dtype="int8", benchmark_dtype="int64", meaning=Meaning.UNWEIGHTED),
    Probe.input("adj", Location.EDGE, Type.MASK, meaning=Meaning.ADJ),
    Probe.output("pi", Location.NODE, Type.POINTER, meaning=Meaning.PARENT),
    Probe.hint("reach_h", Location.NODE, Type.MASK, meaning="whether the node has been reached"),
    Probe.hint("pi_h", Location.NODE, Type.POINTER, meaning=Meaning.PARENT_SO_FAR),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def probe(hints, t, reached, parent):
    """Write row t, if rows are wanted; return the number of rows so far."""
    if t < len(hints.pi_h):
        for v in range(len(parent)):
            hints.reach_h[t, v] = reached[v]
            hints.pi_h[t, v] = parent[v]
    return t + 1


@jitted
def bfs(A, source, hints):
    """Return each node's parent, [N], and the number of rounds."""
    n = len(A)
    reached = np.zeros(n, np.bool_)
    parent = np.arange(n)  # unreached nodes point to themselves
    reached[source] = True
    t = 0
    while True:
        t = probe(hints, t, reached, parent)  # probe
        before = reached.copy()
        for u in range(n):
            if before[u]:
                for v in range(n):
                    if A[u, v] > 0:
                        if parent[v] == v and v != source:
                            parent[v] = u
                        reached[v] = True
        if (reached == before).all():
            return parent, t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        source = np.argmax(inputs.s[b])
        outputs.pi[b], lengths[b] = bfs(inputs.A[b], source, of_sample(hints, b))


@in_place
def measure_levels(A, source, level, queue):
    """Fill `level`, the least number of edges from the source to each node, infinite out of reach."""
    level[:] = np.inf
    level[source], queue[0] = 0.0, source
    found = 1
    for k in range(len(A)):
        if k == found:
            break
        u = queue[k]
        for v in range(len(A)):
            if (A[u, v] > 0) & (level[v] == np.inf):
                level[v], queue[found] = level[u] + 1.0, v
                found += 1


@compiled
def judge(inputs, outputs, verdicts):
    paths = new_paths(inputs.A.shape[1])
    for b in range(len(verdicts.valid)):
        A, parent, source = inputs.A[b], outputs.pi[b], np.argmax(inputs.s[b])
        measure_levels(A, source, paths.distance, paths.walked)
        for v in range(len(A)):
            p = parent[v]
            paths.arc[v] = 1.0 if p != v and A[p, v] > 0 else np.inf
        verdicts.valid[b], verdicts.gap[b] = judge_paths(parent, source, paths, verdicts.elements.pi[b])


def defects(inputs, outputs):
    A, source = inputs["A"], int(inputs["s"].argmax())
    level, queue = np.empty(len(A)), np.empty(len(A), int)
    measure_levels.py_func(A, source, level, queue)
    return path_defects(outputs["pi"], source, level, np.where(A > 0, 1.0, np.inf))


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="the source and unreachable nodes point to themselves, every other node to a neighbour one level nearer",
    theorem="breadth-first tree (CLRS 22.2): its paths from the source are shortest ones, by the number of edges",
    ties="any neighbour one level nearer is as good as the one of least index; one of another level is an error",
    elements="the node's parent is a neighbour one level nearer, or the node itself where it must be",
    value="the number of edges on the paths from the source, summed over all reachable nodes",
)

ALGORITHM = Algorithm(
    name="bfs",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.5), source=True),
    run=run,
    lengths_at_16=(1, 7),
    validity=VALIDITY,
)
