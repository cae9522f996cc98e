"""Kadane's algorithm (CLRS exercise 4.1-5): the segment with the largest sum, in one pass over the keys."""

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
from narlab.algorithms.engine.validity import number, relative_gap, tied, ties
from narlab.algorithms.parts.order import index_chain
from narlab.algorithms.sampling.sequences import signed_keys
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("key", Location.NODE, Type.SCALAR, meaning=Meaning.KEY),
    Probe.output("start", Location.NODE, Type.MASK_ONE, meaning="the first place of the segment with the largest sum"),
    Probe.output("end", Location.NODE, Type.MASK_ONE, meaning="the last place of that segment"),
    Probe.hint("pred_h", Location.NODE, Type.POINTER, meaning=Meaning.INDEX_ORDER),
    Probe.hint("best_low", Location.NODE, Type.MASK_ONE, meaning="the first place of the best segment so far"),
    Probe.hint("best_high", Location.NODE, Type.MASK_ONE, meaning="the last place of the best segment so far"),
    Probe.hint("best_sum", Location.GRAPH, Type.SCALAR, meaning="the sum of the best segment so far"),
    Probe.hint("i", Location.NODE, Type.MASK_ONE, meaning="the first place of the segment that ends here"),
    Probe.hint("j", Location.NODE, Type.MASK_ONE, meaning="the place that was added last"),
    Probe.hint("sum", Location.GRAPH, Type.SCALAR, meaning="the sum of the segment that ends here"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def probe(hints, best, current):
    """Write row j, if rows are wanted; `best` and `current` are segments (low, high, sum)."""
    best_low, best_high, best_sum = best
    i, j, total = current
    if j < len(hints.pred_h):
        index_chain(hints.pred_h[j])
        hints.best_low[j, best_low] = hints.best_high[j, best_high] = 1
        hints.best_sum[j] = best_sum
        hints.i[j, i] = hints.j[j, j] = 1
        hints.sum[j] = total


@jitted
def find_maximum_subarray_kadane(key, hints):
    """Return the first and the last node of the segment; it is never empty."""
    best_low, best_high, best_sum = 0, 0, key[0]
    i, total = 0, key[0]
    probe(hints, (best_low, best_high, best_sum), (i, 0, total))  # probe
    for j in range(1, len(key)):
        if total + key[j] >= key[j]:  # with rounding this is not the same as total >= 0
            total += key[j]
        else:
            i, total = j, key[j]
        if total > best_sum:
            best_low, best_high, best_sum = i, j, total
        probe(hints, (best_low, best_high, best_sum), (i, j, total))  # probe
    return best_low, best_high


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        key = inputs.key[b]
        start, end = find_maximum_subarray_kadane(key, of_sample(hints, b))
        outputs.start[b, start] = outputs.end[b, end] = 1
        lengths[b] = len(key)


@in_place
def segment_sum(key, start, end):
    total = 0.0
    for v in range(start, end + 1):
        total += key[v]
    return total


@in_place
def largest_sum(key, first, step):
    """The largest sum of nodes from `first` on, taken in steps of 1 or -1."""
    total, largest, v = 0.0, -np.inf, first
    while 0 <= v < len(key):
        total += key[v]
        largest, v = max(largest, total), v + step
    return largest


@in_place
def maximum_sum(key):
    """The largest sum of any segment."""
    total, largest = -np.inf, -np.inf
    for k in key:
        total = max(total + k, k)
        largest = max(largest, total)
    return largest


@compiled
def judge(inputs, outputs, verdicts):
    for b in range(len(verdicts.valid)):
        key = inputs.key[b]
        start, end, best = np.argmax(outputs.start[b]), np.argmax(outputs.end[b]), maximum_sum(key)
        found = segment_sum(key, start, end) if start <= end else -np.inf
        valid = ties(found, best)
        verdicts.valid[b] = valid
        verdicts.gap[b] = 0.0 if valid else relative_gap(best - found, best)
        verdicts.elements.start[b] = valid or ties(largest_sum(key, start, 1), best)
        verdicts.elements.end[b] = valid or ties(largest_sum(key, end, -1), best)


def defects(inputs, outputs):
    key, start, end = inputs["key"].tolist(), int(outputs["start"].argmax()), int(outputs["end"].argmax())
    if start > end:
        return [Defect(f"the segment starts at node {start}, after its end at node {end}", (start, end))]
    found, best = segment_sum.py_func(key, start, end), maximum_sum.py_func(key)
    if tied(found, best):
        return []
    text = f"the segment from node {start} to {end} sums to {number(found)}, the best one to {number(best)}"
    return [Defect(text, (start, end))]


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="the segment from the start to the end is not empty and no segment has a larger sum",
    theorem="the maximum-subarray problem (CLRS 4.1), its best sum by the recurrence of exercise 4.1-5",
    ties="any segment whose sum is the largest within the tolerance",
    elements="some segment with the largest sum starts, or ends, at this node",
    value="the sum of the segment",
)

ALGORITHM = Algorithm(
    name="find_maximum_subarray_kadane",
    family="divide_and_conquer",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=signed_keys,
    run=run,
    lengths_at_16=(16, 16),
    multiplier=32,
    rows=lambda n: n,
    validity=VALIDITY,
)
