"""Bubble sort (CLRS problem 2-2): neighbours out of order are exchanged, from the end of the array to its front."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, jitted, of_sample, records
from narlab.algorithms.parts.order import chain
from narlab.algorithms.parts.valid_orders import SORTED
from narlab.algorithms.sampling.sequences import keys
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("key", Location.NODE, Type.SCALAR, meaning=Meaning.KEY),
    Probe.output("pred", Location.NODE, Type.POINTER, permutation=True, meaning=Meaning.SORTED),
    Probe.hint("pred_h", Location.NODE, Type.POINTER, meaning=Meaning.ORDER_SO_FAR),
    Probe.hint("i", Location.NODE, Type.MASK_ONE, meaning="the place up to which the array is sorted"),
    Probe.hint("j", Location.NODE, Type.MASK_ONE, meaning="the place that was compared with the one before it"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def probe(hints, t, order, i, j):
    """Write row t, if rows are wanted: the order and the nodes at positions i and j; return the next row."""
    if t < len(hints.pred_h):
        chain(order, hints.pred_h[t])
        hints.i[t, order[i]] = hints.j[t, order[j]] = 1
    return t + 1


@jitted
def bubble_sort(key, pred, hints):
    """Fill `pred` with each node's predecessor; return the number of rows."""
    n = len(key)
    order = np.arange(n)
    t = probe(hints, 0, order, 0, 0)  # probe
    for i in range(n - 1):
        for j in range(n - 1, i, -1):
            if key[order[j]] < key[order[j - 1]]:
                order[j], order[j - 1] = order[j - 1], order[j]
            t = probe(hints, t, order, i, j)  # probe
    chain(order, pred)
    return t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        lengths[b] = bubble_sort(inputs.key[b], outputs.pred[b], of_sample(hints, b))


ALGORITHM = Algorithm(
    name="bubble_sort",
    family="sorting",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=keys,
    run=run,
    lengths_at_16=(121, 121),
    rows=lambda n: 1 + n * (n - 1) // 2,
    validity=SORTED,
)
