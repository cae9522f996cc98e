"""Activity selection (CLRS 16.1): the most activities that do not overlap, by the earliest finish."""

from itertools import combinations

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
from narlab.algorithms.engine.validity import number, relative_gap
from narlab.algorithms.parts.order import index_chain, sort_by_two, stable_order
from narlab.algorithms.sampling.sequences import activities
from narlab.common.errors import UsageError
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("s", Location.NODE, Type.SCALAR, meaning="when the activity starts"),
    Probe.input("f", Location.NODE, Type.SCALAR, meaning="when the activity finishes"),
    Probe.output("selected", Location.NODE, Type.MASK, meaning="whether the activity is selected"),
    Probe.hint("pred_h", Location.NODE, Type.POINTER, meaning=Meaning.INDEX_ORDER),
    Probe.hint("selected_h", Location.NODE, Type.MASK, meaning="whether the activity is selected so far"),
    Probe.hint("m", Location.NODE, Type.MASK_ONE, meaning="the activity that is looked at, by finishing time"),
    Probe.hint("k", Location.NODE, Type.MASK_ONE, meaning="the activity selected last"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)

NOBODY = -1
OVERLAP = -1  # for the size of a set


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
    by_finish = stable_order(f)
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


@in_place
def largest_size(s, f, by_finish, v, selected):
    """The size of a largest set that has no overlap and in which activity v is selected or not; v may be NOBODY."""
    size, last = int(selected), -np.inf
    for m in by_finish:
        possible = m != v and (not selected or f[m] <= s[v] or s[m] >= f[v])
        if possible and s[m] >= last:
            size, last = size + 1, f[m]
    return size


@in_place
def size_of(s, f, by_finish, selected):
    """The number of selected activities, or OVERLAP."""
    size, last = 0, -np.inf
    for m in by_finish:
        if selected[m]:
            if s[m] < last:
                return OVERLAP
            size, last = size + 1, f[m]
    return size


@compiled
def judge(inputs, outputs, verdicts):
    by_finish = np.zeros(inputs.s.shape[1], np.int64)
    for b in range(len(verdicts.valid)):
        s, f, selected = inputs.s[b], inputs.f[b], outputs.selected[b]
        sort_by_two(f, s, by_finish)
        size, largest = size_of(s, f, by_finish, selected), largest_size(s, f, by_finish, NOBODY, 0)
        valid = size == largest
        verdicts.valid[b] = valid
        verdicts.gap[b] = relative_gap(largest - size, largest) if size != OVERLAP else np.inf
        for v in range(len(s)):
            right = valid or largest_size(s, f, by_finish, v, selected[v]) == largest
            verdicts.elements.selected[b, v] = right


def defects(inputs, outputs):
    s, f, selected = inputs["s"], inputs["f"], np.flatnonzero(outputs["selected"]).tolist()
    overlaps = [(u, v) for u, v in combinations(selected, 2) if s[u] < f[v] and s[v] < f[u]]
    if overlaps:
        times = [f"{v} ({number(s[v])} to {number(f[v])})" for v in range(len(s))]
        return [Defect(f"activities {times[u]} and {times[v]} overlap", (u, v)) for u, v in overlaps]
    largest = largest_size.py_func(s, f, np.lexsort((s, f)), NOBODY, 0)
    if len(selected) == largest:
        return []
    return [Defect(f"the size of the set is {len(selected)}, that of a largest one {largest}", tuple(selected))]


def check_times(arrays: dict[str, np.ndarray]) -> None:
    """No activity is over before it starts."""
    wrong = np.argwhere(arrays["s"] > arrays["f"])
    if len(wrong):
        b, v = map(int, wrong[0])
        times = f"{number(arrays['s'][b, v])} > {number(arrays['f'][b, v])}"
        raise UsageError(f"input 's' must not be above 'f', got {times} at node {v} of instance {b}")


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="no two selected activities overlap, and no set without overlap has more of them",
    theorem="the activity-selection problem (CLRS 16.1), its largest size by theorem 16.1: the earliest finish is safe",
    ties="any largest set; an activity may start when another finishes, and times are compared without tolerance",
    elements="some largest set has the activity, if it is selected, or does without it, if it is not",
    value="the number of activities",
    check=check_times,
)

ALGORITHM = Algorithm(
    name="activity_selector",
    family="greedy",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=activities,
    run=run,
    lengths_at_16=(17, 17),
    rows=lambda n: n + 1,
    validity=VALIDITY,
)
