"""Insertion sort (CLRS 2.1): each key in turn is put in its place among the keys before it."""

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
    Probe.hint("i", Location.NODE, Type.MASK_ONE, meaning="the node behind the inserted one, which made room for it"),
    Probe.hint("j", Location.NODE, Type.MASK_ONE, meaning="the node that was inserted"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def probe(hints, t, order, i, j):
    """Write row t, if rows are wanted: the order, the displaced node and the inserted one."""
    if t < len(hints.pred_h):
        chain(order, hints.pred_h[t])
        hints.i[t, i] = hints.j[t, j] = 1
    return t + 1


@jitted
def insertion_sort(key, pred, hints):
    """Fill `pred` with each node's predecessor; return the number of rows."""
    n = len(key)
    order = np.arange(n)
    t = probe(hints, 0, order, 0, 0)  # probe
    for j in range(1, n):
        hole = j
        displaced = j
        while hole > 0 and key[order[hole - 1]] > key[j]:
            displaced = order[hole - 1]
            order[hole] = displaced
            hole -= 1
        order[hole] = j
        t = probe(hints, t, order, displaced, j)  # probe
    chain(order, pred)
    return t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        lengths[b] = insertion_sort(inputs.key[b], outputs.pred[b], of_sample(hints, b))


ALGORITHM = Algorithm(
    name="insertion_sort",
    family="sorting",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=keys,
    run=run,
    lengths_at_16=(16, 16),
    rows=lambda n: n,
    validity=SORTED,
)
