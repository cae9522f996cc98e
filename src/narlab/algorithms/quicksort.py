"""Quicksort (CLRS 7.1): the array is split by its last key, then both parts are sorted, the left one first."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, jitted, of_sample, records
from narlab.algorithms.parts.order import chain
from narlab.algorithms.parts.partition import partition_step, probe_partition
from narlab.algorithms.parts.valid_orders import SORTED
from narlab.algorithms.sampling.sequences import keys
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("key", Location.NODE, Type.SCALAR, meaning=Meaning.KEY),
    Probe.output("pred", Location.NODE, Type.POINTER, permutation=True, meaning=Meaning.SORTED),
    Probe.hint("pred_h", Location.NODE, Type.POINTER, meaning=Meaning.ORDER_SO_FAR),
    Probe.hint("p", Location.NODE, Type.MASK_ONE, meaning=Meaning.FIRST_OF_PART),
    Probe.hint("r", Location.NODE, Type.MASK_ONE, meaning=Meaning.LAST_OF_PART),
    Probe.hint("i", Location.NODE, Type.MASK_ONE, meaning=Meaning.SPLIT),
    Probe.hint("j", Location.NODE, Type.MASK_ONE, meaning=Meaning.SCANNED),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def quicksort(key, pred, hints):
    """Fill `pred` with each node's predecessor; return the number of rows."""
    n = len(key)
    order = np.arange(n)
    t = 0
    parts = [(0, n - 1)]  # a stack, because recursion as deep as sorted keys make it could overflow the thread's
    while parts:
        p, r = parts.pop()
        if p < r:
            i = p
            for j in range(p, r + 1):
                i = partition_step(key, order, i, j, r)
                if t < len(hints.pred_h):
                    probe_partition(hints, t, order, p, r, i, j)  # probe
                t += 1
            parts.append((i + 1, r))
            parts.append((p, i - 1))
    chain(order, pred)
    return t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        lengths[b] = quicksort(inputs.key[b], outputs.pred[b], of_sample(hints, b))


ALGORITHM = Algorithm(
    name="quicksort",
    family="sorting",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=keys,
    run=run,
    lengths_at_16=(48, 92),
    validity=SORTED,
)
