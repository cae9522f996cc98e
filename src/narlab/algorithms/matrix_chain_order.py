"""Matrix-chain order (CLRS 15.2): where to split each chain of matrices, by rounds in which all chains improve."""

import numpy as np

from narlab.algorithms.engine import Algorithm, Validity, compiled, in_place, jitted, of_sample, records
from narlab.algorithms.parts.order import index_chain
from narlab.algorithms.parts.tables import write_table
from narlab.algorithms.parts.valid_ranges import judge_splits, split_defects
from narlab.algorithms.sampling.sequences import dimensions
from narlab.common.errors import UsageError
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("p", Location.NODE, Type.SCALAR, meaning="the dimensions: matrix i is p[i - 1] by p[i]"),
    Probe.output(
        "s", Location.EDGE, Type.POINTER, meaning="where the chain from the first matrix to the second is split best"
    ),
    Probe.hint("pred_h", Location.NODE, Type.POINTER, meaning=Meaning.INDEX_ORDER),
    Probe.hint("m", Location.EDGE, Type.SCALAR, meaning="the least cost of the chain found so far"),
    Probe.hint("s_h", Location.EDGE, Type.POINTER, meaning="the best split found so far"),
    Probe.hint("msk", Location.EDGE, Type.MASK, meaning="whether the chain has a cost already"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def probe(hints, t, m, s, reach):
    """Write row t, if rows are wanted; return the number of rows so far."""
    if t < len(hints.m):
        index_chain(hints.pred_h[t])
        write_table(hints.m, t, m)
        write_table(hints.s_h, t, s)
        for i in range(1, len(m)):
            for j in range(1, len(m)):
                hints.msk[t, i, j] = i <= j < i + reach
    return t + 1


@jitted
def best_split(p, m, i, j, reach, cost, split):
    """Return the least cost of the chain i to j and its split, given the best so far and chains of up to `reach`."""
    for k in range(max(i, j - reach), min(j, i + reach)):
        q = m[i, k] + m[k + 1, j] + p[i - 1] * p[k] * p[j]
        if q < cost:
            cost, split = q, k
    return cost, split


@jitted
def matrix_chain_order(p, hints):
    """Return the splits, [N, N], and the number of rounds; matrix i is p[i - 1] by p[i], and there is no matrix 0.

    All chains of up to `reach` matrices have a cost, and a round joins two of them. After t rounds the chains of up to
    t + 1 matrices have their final cost.
    """
    n = len(p)
    m, s = np.zeros((n, n)), np.zeros((n, n), np.int16)
    t, reach, changed = 0, 1, True
    while changed:
        t = probe(hints, t, m, s, reach)  # probe
        changed = False
        for i in range(1, n):
            for j in range(min(i + 2 * reach, n) - 1, i + t - 1, -1):  # longest first, so that no cost is of this round
                cost = m[i, j] if j < i + reach else np.inf
                cost, split = best_split(p, m, i, j, reach, cost, s[i, j])
                changed |= cost != m[i, j]  # a first cost of zero is no change: the benchmark compares costs alone
                m[i, j], s[i, j] = cost, split
        reach = min(2 * reach, n)
    return s, t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        outputs.s[b], lengths[b] = matrix_chain_order(inputs.p[b], of_sample(hints, b))


def check_costs(arrays: dict[str, np.ndarray]) -> None:
    """No cost overflows."""
    p = np.abs(arrays["p"])
    with np.errstate(over="ignore"):
        largest = p.max() ** 3 * p.shape[1]
    if not np.isfinite(largest):
        raise UsageError(f"input 'p' must be small enough for the cost of a chain to be finite, got {p.max()}")


@in_place
def multiplications(p, i, k, j):
    """What it takes to multiply the products of the matrices i to k and k + 1 to j."""
    return p[i - 1] * p[k] * p[j]


@compiled
def judge(inputs, outputs, verdicts):
    n = inputs.p.shape[1]
    best, waiting = np.zeros((n, n)), np.zeros((n, 2), np.int64)
    for b in range(len(verdicts.valid)):
        verdicts.valid[b], verdicts.gap[b] = judge_splits(
            multiplications, inputs.p[b], 1, best, outputs.s[b], waiting, verdicts.elements.s[b]
        )


def defects(inputs, outputs):
    p, phrase = inputs["p"], "matrices {i} to {j} are split after {k}"
    return split_defects(multiplications, p, 1, np.zeros((len(p), len(p))), outputs["s"], phrase=phrase)


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="the splits that the whole chain leads to lie in their chains and together cost as little as possible",
    theorem="the matrix-chain multiplication problem (CLRS 15.2): least cost by its recurrence over all splits",
    ties="any cheapest parenthesisation, within the tolerance; cells that it does not use don't count",
    elements="the cell's split is one of the best of its own chain, used or not; in a valid answer, and where no chain "
    "is, no cell is wrong",
    value="the number of scalar multiplications",
)

ALGORITHM = Algorithm(
    name="matrix_chain_order",
    family="dynamic_programming",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=dimensions,
    run=run,
    lengths_at_16=(8, 15),
    check=check_costs,
    validity=VALIDITY,
)
