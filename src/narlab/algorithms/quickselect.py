"""Quickselect (CLRS 9.2, with the last key as pivot): the node of the median, the upper one if n is even."""

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
from narlab.algorithms.engine.validity import number
from narlab.algorithms.parts.partition import partition_step, probe_partition
from narlab.algorithms.sampling.sequences import keys
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("key", Location.NODE, Type.SCALAR, meaning=Meaning.KEY),
    Probe.output("median", Location.NODE, Type.MASK_ONE, meaning="the place of the median, the upper one of two"),
    Probe.hint("pred_h", Location.NODE, Type.POINTER, meaning=Meaning.ORDER_SO_FAR),
    Probe.hint("p", Location.NODE, Type.MASK_ONE, meaning=Meaning.FIRST_OF_PART),
    Probe.hint("r", Location.NODE, Type.MASK_ONE, meaning=Meaning.LAST_OF_PART),
    Probe.hint("i", Location.NODE, Type.MASK_ONE, meaning=Meaning.SPLIT),
    Probe.hint("j", Location.NODE, Type.MASK_ONE, meaning=Meaning.SCANNED),
    Probe.hint("i_rank", Location.GRAPH, Type.SCALAR, meaning="the rank of the split, a share of n"),
    Probe.hint("target", Location.GRAPH, Type.SCALAR, meaning="the rank that is looked for in the part, a share of n"),
    Probe.hint("pivot", Location.NODE, Type.MASK_ONE, meaning="the node that splits the part"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def probe(hints, t, order, p, r, i, j, rank):
    """Write row t: that of the partition, and the wanted rank in the segment from p."""
    split = j == r  # then the pivot stands at i, and the benchmark counts its rank from p instead of from 0
    probe_partition(hints, t, order, p, r, i, j)
    hints.i_rank[t] = (i - p if split else i) / len(order)
    hints.target[t] = rank / len(order)
    hints.pivot[t, order[i if split else r]] = 1


@jitted
def quickselect(key, hints):
    """Return the node whose key has rank n // 2, counted from 0, and the number of rows."""
    n = len(key)
    order = np.arange(n)
    p, r, rank = 0, n - 1, n // 2
    t = 0
    while True:
        i = p
        for j in range(p, r + 1):
            i = partition_step(key, order, i, j, r)
            if t < len(hints.pred_h):
                probe(hints, t, order, p, r, i, j, rank)  # probe
            t += 1
        if rank == i - p:
            return order[i], t
        if rank < i - p:
            r = i - 1
        else:
            rank -= i - p + 1
            p = i + 1


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        median, lengths[b] = quickselect(inputs.key[b], of_sample(hints, b))
        outputs.median[b, median] = 1


@in_place
def ranks(key, chosen):
    """Return the least and the greatest rank, counted from 0, that the chosen key has in some order of equal keys."""
    below, equal = 0, 0
    for k in key:
        below += k < key[chosen]
        equal += k == key[chosen]
    return below, below + equal - 1


@compiled
def judge(inputs, outputs, verdicts):
    for b in range(len(verdicts.valid)):
        key = inputs.key[b]
        least, greatest = ranks(key, np.argmax(outputs.median[b]))
        verdicts.valid[b] = verdicts.elements.median[b] = least <= len(key) // 2 <= greatest


def defects(inputs, outputs):
    key, chosen = inputs["key"], int(outputs["median"].argmax())
    (least, greatest), rank = ranks.py_func(key, chosen), len(key) // 2
    if least <= rank <= greatest:
        return []
    own = f"{least}" if least == greatest else f"{least} to {greatest}"
    median = int(np.argsort(key, kind="stable")[rank])
    text = f"node {chosen} with key {number(key[chosen])} has rank {own}; rank {rank} has key {number(key[median])}"
    return [Defect(text, (chosen, median))]


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="the given node's key has rank n // 2, counted from 0, in some sorted order of the keys",
    theorem="the selection problem (CLRS 9): at most n // 2 keys are less than the order statistic, more are not above",
    ties="any node whose key equals the median; keys are compared as they are, without tolerance",
    elements="the verdict on the only answer",
    value=None,
)

ALGORITHM = Algorithm(
    name="quickselect",
    family="searching",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=keys,
    run=run,
    lengths_at_16=(16, 83),
    multiplier=64,
    validity=VALIDITY,
)
