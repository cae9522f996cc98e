"""Minimum (CLRS 9.1): the node of the least key, the first one among equals."""

from narlab.algorithms.engine import Algorithm, compiled, jitted, of_sample, records
from narlab.algorithms.parts.order import index_chain
from narlab.algorithms.sampling.sequences import keys
from narlab.specs import Location, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR),
    Probe.input("key", Location.NODE, Type.SCALAR),
    Probe.output("min", Location.NODE, Type.MASK_ONE),
    Probe.hint("pred_h", Location.NODE, Type.POINTER),
    Probe.hint("min_h", Location.NODE, Type.MASK_ONE),
    Probe.hint("i", Location.NODE, Type.MASK_ONE),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def minimum(key, hints):
    """Return the node of the least key."""
    best = 0
    for i in range(len(key)):
        if key[best] > key[i]:
            best = i
        if i < len(hints.i):  # probe
            index_chain(hints.pred_h[i])
            hints.min_h[i, best] = hints.i[i, i] = 1
    return best


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        key = inputs.key[b]
        outputs.min[b, minimum(key, of_sample(hints, b))] = 1
        lengths[b] = len(key)


ALGORITHM = Algorithm(
    name="minimum",
    family="searching",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=keys,
    run=run,
    lengths_at_16=(16, 16),
    multiplier=64,
    rows=lambda n: n,
)
