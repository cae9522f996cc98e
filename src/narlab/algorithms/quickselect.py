"""Quickselect (CLRS 9.2, with the last key as pivot): the node of the median, the upper one if n is even."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, jitted, of_sample, records
from narlab.algorithms.parts.partition import partition_step, probe_partition
from narlab.algorithms.sampling.sequences import keys
from narlab.specs import Location, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR),
    Probe.input("key", Location.NODE, Type.SCALAR),
    Probe.output("median", Location.NODE, Type.MASK_ONE),
    Probe.hint("pred_h", Location.NODE, Type.POINTER),
    Probe.hint("p", Location.NODE, Type.MASK_ONE),
    Probe.hint("r", Location.NODE, Type.MASK_ONE),
    Probe.hint("i", Location.NODE, Type.MASK_ONE),
    Probe.hint("j", Location.NODE, Type.MASK_ONE),
    Probe.hint("i_rank", Location.GRAPH, Type.SCALAR),
    Probe.hint("target", Location.GRAPH, Type.SCALAR),
    Probe.hint("pivot", Location.NODE, Type.MASK_ONE),
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


ALGORITHM = Algorithm(
    name="quickselect",
    family="searching",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=keys,
    run=run,
    lengths_at_16=(16, 83),
    multiplier=64,
)
