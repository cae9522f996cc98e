"""Binary search (CLRS exercise 2.3-5): the first node whose key is not below the target, or else the last node."""

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
from narlab.algorithms.engine.checking import check_ascending
from narlab.algorithms.engine.validity import number
from narlab.algorithms.parts.order import index_chain
from narlab.algorithms.sampling.sequences import sorted_keys
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("key", Location.NODE, Type.SCALAR, meaning="the number at this place of the array, which ascends"),
    Probe.input("target", Location.GRAPH, Type.SCALAR, meaning="the number that is looked for"),
    Probe.output(
        "return",
        Location.NODE,
        Type.MASK_ONE,
        meaning="the first place whose key is not below the target, else the last one",
    ),
    Probe.hint("pred_h", Location.NODE, Type.POINTER, meaning=Meaning.INDEX_ORDER),
    Probe.hint("low", Location.NODE, Type.MASK_ONE, meaning="the first place that can still be the answer"),
    Probe.hint("high", Location.NODE, Type.MASK_ONE, meaning="the last place that can still be the answer"),
    Probe.hint("mid", Location.NODE, Type.MASK_ONE, meaning="the place halfway, which is compared next"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def probe(hints, t, low, high):
    """Write row t, if rows are wanted; return the next row."""
    if t < len(hints.pred_h):
        index_chain(hints.pred_h[t])
        hints.low[t, low] = hints.high[t, high] = hints.mid[t, (low + high) // 2] = 1
    return t + 1


@jitted
def binary_search(key, target, hints):
    """Return the place of `target` and the number of rows."""
    low, high = 0, len(key) - 1
    t = probe(hints, 0, low, high)  # probe
    while low < high:
        mid = (low + high) // 2
        if target <= key[mid]:
            high = mid
        else:
            low = mid + 1
        t = probe(hints, t, low, high)  # probe
    return high, t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        place, lengths[b] = binary_search(inputs.key[b], inputs.target[b], of_sample(hints, b))
        outputs.return_[b, place] = 1


@in_place
def place_of(key, target):
    """The first node whose key is not below the target, or else the last node."""
    for v in range(len(key) - 1):
        if key[v] >= target:
            return v
    return len(key) - 1


@compiled
def judge(inputs, outputs, verdicts):
    for b in range(len(verdicts.valid)):
        key = inputs.key[b]
        right = key[np.argmax(outputs.return_[b])] == key[place_of(key, inputs.target[b])]
        verdicts.valid[b] = verdicts.elements.return_[b] = right


def defects(inputs, outputs):
    key, target, chosen = inputs["key"], inputs["target"], int(outputs["return"].argmax())
    place = place_of.py_func(key, target)
    if key[chosen] == key[place]:
        return []
    if key[chosen] < target:
        reason = "is below the target"
    else:
        reason = f"is not the least that is at least the target: that of node {place} is {number(key[place])}"
    return [Defect(f"the key of node {chosen}, {number(key[chosen])}, {reason}", (chosen, place))]


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="the given node's key is the least that is not below the target, or the greatest if all are below",
    theorem="the searching problem (CLRS exercises 2.1-3, 2.3-5): where the target is, or would stand",
    ties="nodes of equal keys; keys are compared as they are, without tolerance",
    elements="the verdict on the only answer",
    value=None,
)

ALGORITHM = Algorithm(
    name="binary_search",
    family="searching",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=sorted_keys,
    run=run,
    lengths_at_16=(5, 5),
    multiplier=64,
    check=check_ascending,
    validity=VALIDITY,
)
