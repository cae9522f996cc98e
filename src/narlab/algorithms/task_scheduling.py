"""Task scheduling (CLRS 16.5): unit tasks to do before their deadlines, those with the largest penalties first."""

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
from narlab.algorithms.parts.order import index_chain, sort_by_two, stable_order
from narlab.algorithms.sampling.sequences import tasks
from narlab.common.errors import UsageError
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input(
        "d", Location.NODE, Type.SCALAR, dtype="int32", benchmark_dtype="int64", meaning="the deadline, from 1 to n"
    ),
    Probe.input("w", Location.NODE, Type.SCALAR, meaning="the penalty if it is missed"),
    Probe.output("selected", Location.NODE, Type.MASK, meaning="whether the task is done in time"),
    Probe.hint("pred_h", Location.NODE, Type.POINTER, meaning=Meaning.INDEX_ORDER),
    Probe.hint("selected_h", Location.NODE, Type.MASK, meaning="whether the task is selected so far"),
    Probe.hint("i", Location.NODE, Type.MASK_ONE, meaning="the task that is looked at, by penalty"),
    Probe.hint("t", Location.GRAPH, Type.SCALAR, meaning="how many tasks are selected so far"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)
NOBODY = -1


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
    for i in stable_order(-w):
        if t == 0 or t < d[i]:  # the benchmark takes the first task whatever its deadline is
            selected[i] = 1
            t += 1
        row = probe(hints, row, selected, i, t)  # probe
    return selected, row


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        outputs.selected[b], lengths[b] = task_scheduling(inputs.d[b], inputs.w[b], of_sample(hints, b))


@in_place
def first_late(by_deadline, d, selected):
    """The first selected task that misses its deadline if they are done in this order, or NOBODY."""
    t = 0
    for v in by_deadline:
        if selected[v]:
            if t >= max(d[v], 1):
                return v
            t += 1
    return NOBODY


@in_place
def lost_penalty(w, selected):
    """The penalty of the tasks that are not selected."""
    lost = 0.0
    for v in range(len(w)):
        if not selected[v]:
            lost += w[v]
    return lost


@in_place
def select_in_time(by_penalty, d, selected):
    """Select, in this order, each task that is in time."""
    t = 0
    for v in by_penalty:
        in_time = t < max(d[v], 1)
        selected[v] = in_time
        t += in_time


@in_place
def count_before(by_penalty, d, w, v, equals):
    """The number of tasks of larger penalty than v, and of equal one if wanted, that `select_in_time` selects."""
    t = 0
    for u in by_penalty:
        if w[u] > w[v] or (equals and w[u] == w[v] and u != v):
            t += t < max(d[u], 1)
    return t


@compiled
def judge(inputs, outputs, verdicts):
    n = inputs.d.shape[1]
    early_first, late_first = np.zeros(n, np.int64), np.zeros(n, np.int64)  # orders of tasks of equal penalty
    by_deadline, by_rule = np.zeros(n, np.int64), np.zeros(n, np.int8)
    for b in range(len(verdicts.valid)):
        d, w, selected = inputs.d[b], inputs.w[b], outputs.selected[b]
        sort_by_two(-w, d, early_first)
        sort_by_two(-w, -d, late_first)
        sort_by_two(d.astype(np.float64), -w, by_deadline)
        select_in_time(late_first, d, by_rule)
        lost, allowed = lost_penalty(w, selected), lost_penalty(w, by_rule)
        in_time = first_late(by_deadline, d, selected) == NOBODY
        valid = in_time and (lost <= allowed or ties(lost, allowed))
        verdicts.valid[b] = valid
        verdicts.gap[b] = 0.0 if valid else relative_gap(lost - allowed, allowed) if in_time else np.inf
        for v in range(n):
            if selected[v]:
                right = valid or count_before(late_first, d, w, v, False) < max(d[v], 1)
            else:
                right = valid or count_before(early_first, d, w, v, True) >= max(d[v], 1)
            verdicts.elements.selected[b, v] = right


def defects(inputs, outputs):
    d, w, selected, by_rule = inputs["d"], inputs["w"], outputs["selected"], np.zeros_like(outputs["selected"])
    order = np.lexsort((-w, d)).tolist()
    late = first_late.py_func(order, d, selected)
    if late != NOBODY:
        place = int(selected[order[: order.index(late) + 1]].sum())
        text = f"task {late} is due at {d[late]}, but {place} of the selected tasks are due until then"
        return [Defect(text, (late,))]
    select_in_time.py_func(np.lexsort((-d, -w)), d, by_rule)
    lost, allowed = lost_penalty.py_func(w, selected), lost_penalty.py_func(w, by_rule)
    if lost <= allowed or tied(lost, allowed):
        return []
    text = f"a penalty of {number(lost)} is lost, but only {number(allowed)} if each task is selected that is in time"
    return [Defect(text, tuple(np.flatnonzero(by_rule > selected).tolist()))]


def check_penalties(arrays: dict[str, np.ndarray]) -> None:
    """No task is better missed: the rule would do it in time all the same."""
    wrong = np.argwhere(arrays["w"] < 0)
    if len(wrong):
        b, v = map(int, wrong[0])
        penalty = number(arrays["w"][b, v])
        raise UsageError(f"input 'w' must be at least 0, got {penalty} at node {v} of instance {b}")


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="the selected tasks can all be in time, and lose no more than the benchmark's rule, which goes through the "
    "tasks by falling penalty and selects each that is in time then",
    theorem="a set can be in time iff no deadline has more tasks due until it than it is late (lemma 16.12); the sets "
    "that lose least (CLRS 16.5) are valid, and so are the benchmark's own, which mostly lose more",
    ties="the rule may take tasks of equal penalty in any order, even its worst; losses tie within the tolerance",
    elements="the answer is valid, or the rule selects the task, or leaves it out, in some order of equal penalties",
    value="the penalty of the tasks that are not selected, against the benchmark's rule",
    check=check_penalties,
)

ALGORITHM = Algorithm(
    name="task_scheduling",
    family="greedy",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=tasks,
    run=run,
    lengths_at_16=(17, 17),
    rows=lambda n: n + 1,
    validity=VALIDITY,
)
