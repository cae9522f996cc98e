"""Minimum (CLRS 9.1): the node of the least key, the first one among equals."""

import numpy as np

from narlab.algorithms.engine import Algorithm, Defect, Validity, compiled, jitted, of_sample, records
from narlab.algorithms.engine.validity import number
from narlab.algorithms.parts.order import index_chain
from narlab.algorithms.sampling.sequences import keys
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("key", Location.NODE, Type.SCALAR, meaning=Meaning.KEY),
    Probe.output("min", Location.NODE, Type.MASK_ONE, meaning="the place of the least key"),
    Probe.hint("pred_h", Location.NODE, Type.POINTER, meaning=Meaning.INDEX_ORDER),
    Probe.hint("min_h", Location.NODE, Type.MASK_ONE, meaning="the place of the least key so far"),
    Probe.hint("i", Location.NODE, Type.MASK_ONE, meaning="the place that is looked at"),
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


@compiled
def judge(inputs, outputs, verdicts):
    for b in range(len(verdicts.valid)):
        key = inputs.key[b]
        verdicts.valid[b] = verdicts.elements.min[b] = key[np.argmax(outputs.min[b])] == key.min()


def defects(inputs, outputs):
    key, chosen = inputs["key"], int(outputs["min"].argmax())
    least = int(key.argmin())
    if key[chosen] == key[least]:
        return []
    return [
        Defect(f"node {chosen} has key {number(key[chosen])}, node {least} only {number(key[least])}", (chosen, least))
    ]


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="no key is less than that of the given node",
    theorem="minimum (CLRS 9.1): the first order statistic",
    ties="any node of the least key; keys are compared as they are, without tolerance",
    elements="the verdict on the only answer",
    value=None,
)

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
    validity=VALIDITY,
)
