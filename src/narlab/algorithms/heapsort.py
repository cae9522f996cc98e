"""Heapsort (CLRS 6.4): the largest key of a heap goes to the end of the array, again and again."""

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
    Probe.hint(
        "parent",
        Location.NODE,
        Type.POINTER,
        meaning="the node's parent in the heap; the root and sorted nodes point to themselves",
    ),
    Probe.hint("i", Location.NODE, Type.MASK_ONE, meaning="the place that is built or filled now"),
    Probe.hint("j", Location.NODE, Type.MASK_ONE, meaning="the node that sinks"),
    Probe.hint("largest", Location.NODE, Type.MASK_ONE, meaning="the largest of that node and its children"),
    Probe.hint("heap_size", Location.NODE, Type.MASK_ONE, meaning="the last node of the heap"),
    Probe.hint(
        "phase",
        Location.GRAPH,
        Type.CATEGORICAL,
        categories=3,
        meaning="build the heap, take its largest, let the new root sink",
    ),
)
Inputs, Outputs, Hints = records(__name__, PROBES)

BUILD, EXTRACT, SIFT = range(3)


@jitted
def probe(hints, t, order, heap_size, nodes, phase):
    """Write row t with `nodes` = (i, j, largest)."""
    chain(order, hints.pred_h[t])
    for k in range(len(order)):
        hints.parent[t, order[k]] = order[(k - 1) // 2 if 0 < k < heap_size else k]
    i, j, largest = nodes
    hints.i[t, i] = hints.j[t, j] = hints.largest[t, largest] = 1
    hints.heap_size[t, order[heap_size - 1]] = 1
    hints.phase[t, phase] = 1


@jitted
def max_heapify(key, order, k, heap_size, i, phase, hints, t):
    """Let position k sink to its place, a row for each exchange and a last one; return the next row."""
    while True:
        left, right, largest = 2 * k + 1, 2 * k + 2, k
        if left < heap_size and key[order[left]] > key[order[k]]:
            largest = left
        if right < heap_size and key[order[right]] > key[order[largest]]:
            largest = right
        order[k], order[largest] = order[largest], order[k]
        if t < len(hints.phase):
            probe(hints, t, order, heap_size, (order[i], order[k], order[largest]), phase)  # probe
        t += 1
        if largest == k:
            return t
        k = largest


@jitted
def heapsort(key, pred, hints):
    """Fill `pred` with each node's predecessor; return the number of rows."""
    n = len(key)
    order = np.arange(n)
    if len(hints.phase):
        probe(hints, 0, order, n, (n - 1, n - 1, n - 1), BUILD)  # probe
    t = 1
    for k in range(n - 1, -1, -1):
        t = max_heapify(key, order, k, n, k, BUILD, hints, t)
    for i in range(n - 1, 0, -1):
        order[0], order[i] = order[i], order[0]
        if t < len(hints.phase):
            probe(hints, t, order, i, (order[0], order[i], 0), EXTRACT)  # probe; the benchmark's `largest` is node 0
        t = max_heapify(key, order, 0, i, i, SIFT, hints, t + 1)
    chain(order, pred)
    return t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        lengths[b] = heapsort(inputs.key[b], outputs.pred[b], of_sample(hints, b))


ALGORITHM = Algorithm(
    name="heapsort",
    family="sorting",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=keys,
    run=run,
    lengths_at_16=(75, 91),
    validity=SORTED,
)
