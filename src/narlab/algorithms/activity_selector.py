"""Activity selection (CLRS 16.1): the most activities that do not overlap, by the earliest finish."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, jitted, of_sample, records
from narlab.algorithms.parts.order import index_chain
from narlab.algorithms.sampling.sequences import activities
from narlab.specs import Location, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR),
    Probe.input("s", Location.NODE, Type.SCALAR),
    Probe.input("f", Location.NODE, Type.SCALAR),
    Probe.output("selected", Location.NODE, Type.MASK),
    Probe.hint("pred_h", Location.NODE, Type.POINTER),
    Probe.hint("selected_h", Location.NODE, Type.MASK),
    Probe.hint("m", Location.NODE, Type.MASK_ONE),
    Probe.hint("k", Location.NODE, Type.MASK_ONE),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def probe(hints, t, selected, m, k):
    """Write row t, if rows are wanted; return the number of rows so far."""
    if t < len(hints.pred_h):
        index_chain(hints.pred_h[t])
        for v in range(len(selected)):
            hints.selected_h[t, v] = selected[v]
        hints.m[t, m] = hints.k[t, k] = 1
    return t + 1


@jitted
def activity_selector(s, f, hints):
    """Return which activities are selected, [N], and the number of rows."""
    selected = np.zeros(len(s), np.int8)
    t = probe(hints, 0, selected, 0, 0)  # probe
    by_finish = np.argsort(f, kind="mergesort")
    k = by_finish[0]
    for m in by_finish:
        if m == k or s[m] >= f[k]:
            selected[m] = 1
            k = m
        t = probe(hints, t, selected, m, k)  # probe
    return selected, t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        outputs.selected[b], lengths[b] = activity_selector(inputs.s[b], inputs.f[b], of_sample(hints, b))


ALGORITHM = Algorithm(
    name="activity_selector",
    family="greedy",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=activities,
    run=run,
    lengths_at_16=(17, 17),
    rows=lambda n: n + 1,
)
