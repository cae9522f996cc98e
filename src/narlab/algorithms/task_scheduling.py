"""Task scheduling (CLRS 16.5): unit tasks to do before their deadlines, those with the largest penalties first."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, jitted, of_sample, records
from narlab.algorithms.parts.order import index_chain
from narlab.algorithms.sampling.sequences import tasks
from narlab.specs import Location, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR),
    Probe.input("d", Location.NODE, Type.SCALAR, dtype="int32", benchmark_dtype="int64"),
    Probe.input("w", Location.NODE, Type.SCALAR),
    Probe.output("selected", Location.NODE, Type.MASK),
    Probe.hint("pred_h", Location.NODE, Type.POINTER),
    Probe.hint("selected_h", Location.NODE, Type.MASK),
    Probe.hint("i", Location.NODE, Type.MASK_ONE),
    Probe.hint("t", Location.GRAPH, Type.SCALAR),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@jitted
def probe(hints, row, selected, i, t):
    """Write a row, if rows are wanted; return the number of rows so far."""
    if row < len(hints.t):
        index_chain(hints.pred_h[row])
        for v in range(len(selected)):
            hints.selected_h[row, v] = selected[v]
        hints.i[row, i] = 1
        hints.t[row] = t
    return row + 1


@jitted
def task_scheduling(d, w, hints):
    """Return which tasks are selected, [N], and the number of rows; t is the number of tasks selected so far."""
    selected = np.zeros(len(d), np.int8)
    t = 0
    row = probe(hints, 0, selected, 0, t)  # probe
    for i in np.argsort(-w, kind="mergesort"):
        if t == 0 or t < d[i]:  # the benchmark takes the first task whatever its deadline is
            selected[i] = 1
            t += 1
        row = probe(hints, row, selected, i, t)  # probe
    return selected, row


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        outputs.selected[b], lengths[b] = task_scheduling(inputs.d[b], inputs.w[b], of_sample(hints, b))


ALGORITHM = Algorithm(
    name="task_scheduling",
    family="greedy",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=tasks,
    run=run,
    lengths_at_16=(17, 17),
    rows=lambda n: n + 1,
)
