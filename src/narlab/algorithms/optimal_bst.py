"""Optimal binary search tree (CLRS 15.5): the root of the cheapest tree over each range of keys."""

import numpy as np

from narlab.algorithms.engine import Algorithm, Validity, compiled, in_place, jitted, of_sample, records
from narlab.algorithms.parts.order import index_chain
from narlab.algorithms.parts.tables import write_table
from narlab.algorithms.parts.valid_ranges import judge_splits, split_defects
from narlab.algorithms.sampling.sequences import probabilities
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input(
        "p", Location.NODE, Type.SCALAR, meaning="the probability that the key is looked for; the last node has none, 0"
    ),
    Probe.input(
        "q",
        Location.NODE,
        Type.SCALAR,
        meaning="the probability that something before this key, or behind the last one, is looked for",
    ),
    Probe.output(
        "root",
        Location.EDGE,
        Type.POINTER,
        meaning="the root of the cheapest tree of the keys from the first node to before the second",
    ),
    Probe.hint("pred_h", Location.NODE, Type.POINTER, meaning=Meaning.INDEX_ORDER),
    Probe.hint("root_h", Location.EDGE, Type.POINTER, meaning="the same, as far as it is known"),
    Probe.hint("e", Location.EDGE, Type.SCALAR, meaning="the expected cost of that tree, as far as it is known"),
    Probe.hint("w", Location.EDGE, Type.SCALAR, meaning="the sum of that tree's probabilities, as far as it is known"),
    Probe.hint("msk", Location.EDGE, Type.MASK, meaning="whether the range has a tree already"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)

UNKNOWN = 1e9  # the benchmark's infinity


@jitted
def probe(hints, t, root, e, w):
    """Write row t, if rows are wanted: ranges of up to t keys."""
    if t < len(hints.e):
        index_chain(hints.pred_h[t])
        write_table(hints.root_h, t, root)
        write_table(hints.e, t, e)
        write_table(hints.w, t, w)
        for i in range(len(e)):
            for j in range(len(e)):
                hints.msk[t, i, j] = i <= j <= i + t


@jitted
def best_root(e, i, j, w):
    """Return the least cost of a tree over the keys i to j - 1 of weight w, and its root."""
    cost, root = UNKNOWN, 0
    for r in range(i, j):
        t = e[i, r] + e[r + 1, j] + w
        if t < cost:
            cost, root = t, r
    return cost, root


@jitted
def optimal_bst(p, q, hints):
    """Return the root of the best tree over the keys i to j - 1, [N, N], where N is one more than there are keys."""
    n = len(q)
    root, e, w = np.zeros((n, n), np.int16), np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        e[i, i] = w[i, i] = q[i]
    probe(hints, 0, root, e, w)  # probe
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            w[i, j] = w[i, j - 1] + p[j - 1] + q[j]
            e[i, j], root[i, j] = best_root(e, i, j, w[i, j])
        probe(hints, length, root, e, w)  # probe
    return root


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        q = inputs.q[b]
        outputs.root[b] = optimal_bst(inputs.p[b], q, of_sample(hints, b))
        lengths[b] = len(q)


@in_place
def fill_weights(p, q, w, e):
    """Fill `w` with the weight of each range of keys and gaps, and the diagonal of `e` with those of single gaps."""
    for i in range(len(q)):
        w[i, i] = e[i, i] = q[i]
        for j in range(i + 1, len(q)):
            w[i, j] = w[i, j - 1] + p[j - 1] + q[j]


@in_place
def weight(w, i, k, j):
    """What it costs that a root puts all keys of its range, and the gaps, one level deeper."""
    return w[i, j]


@compiled
def judge(inputs, outputs, verdicts):
    n = inputs.q.shape[1]
    w, e, waiting = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, 2), np.int64)
    for b in range(len(verdicts.valid)):
        fill_weights(inputs.p[b], inputs.q[b], w, e)
        verdicts.valid[b], verdicts.gap[b] = judge_splits(
            weight, w, 0, e, outputs.root[b], waiting, verdicts.elements.root[b]
        )


def defects(inputs, outputs):
    n = len(inputs["q"])
    w, e = np.zeros((n, n)), np.zeros((n, n))
    fill_weights.py_func(inputs["p"], inputs["q"], w, e)
    return split_defects(weight, w, 0, e, outputs["root"], phrase="keys {i} to {before} have the root {k}")


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="the roots that the range of all keys leads to lie in their ranges and together cost as little as possible",
    theorem="the optimal binary search tree problem (CLRS 15.5): least expected cost by its recurrence over all roots",
    ties="any cheapest search tree, within the tolerance; cells that it does not use don't count",
    elements="the cell's root is one of the best of its own range, used or not; in a valid answer, and where no range "
    "is, no cell is wrong",
    value="the expected cost of a search",
)

ALGORITHM = Algorithm(
    name="optimal_bst",
    family="dynamic_programming",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=probabilities,
    run=run,
    lengths_at_16=(17, 17),
    smallest=1,
    rows=lambda n: n,
    validity=VALIDITY,
)
