"""Kadane's algorithm (CLRS exercise 4.1-5): the segment with the largest sum, in one pass over the keys."""

from narlab.algorithms.engine import Algorithm, compiled, jitted, of_sample, records
from narlab.algorithms.parts.order import index_chain
from narlab.algorithms.sampling.sequences import signed_keys
from narlab.specs import Location, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR),
    Probe.input("key", Location.NODE, Type.SCALAR),
    Probe.output("start", Location.NODE, Type.MASK_ONE),
    Probe.output("end", Location.NODE, Type.MASK_ONE),
    Probe.hint("pred_h", Location.NODE, Type.POINTER),
    Probe.hint("best_low", Location.NODE, Type.MASK_ONE),
    Probe.hint("best_high", Location.NODE, Type.MASK_ONE),
    Probe.hint("best_sum", Location.GRAPH, Type.SCALAR),
    Probe.hint("i", Location.NODE, Type.MASK_ONE),
    Probe.hint("j", Location.NODE, Type.MASK_ONE),
    Probe.hint("sum", Location.GRAPH, Type.SCALAR),
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
)
