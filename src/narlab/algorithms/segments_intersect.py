"""Intersection of two segments (CLRS 33.1): whether the segment of points 0 and 1 meets that of points 2 and 3."""

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
from narlab.algorithms.engine.validity import ties
from narlab.algorithms.parts.geometry import STRAIGHT, side, turn
from narlab.algorithms.sampling.points import segments
from narlab.common.errors import UsageError
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("x", Location.NODE, Type.SCALAR, meaning=Meaning.X),
    Probe.input("y", Location.NODE, Type.SCALAR, meaning=Meaning.Y),
    Probe.output(
        "intersect",
        Location.GRAPH,
        Type.MASK,
        benchmark_dtype="int64",
        meaning="whether the segment of points 0 and 1 meets that of points 2 and 3",
    ),
    Probe.hint("i", Location.NODE, Type.MASK_ONE, meaning="one end of the segment that is held against a point"),
    Probe.hint("j", Location.NODE, Type.MASK_ONE, meaning="its other end"),
    Probe.hint("k", Location.NODE, Type.MASK_ONE, meaning="the point"),
    Probe.hint(
        "dir",
        Location.NODE,
        Type.SCALAR,
        meaning="on which side of the other segment the point lies: positive, negative, or 0 on its line",
    ),
    Probe.hint(
        "on_seg", Location.NODE, Type.MASK, meaning="whether the point lies in the box around the other segment"
    ),
)
Inputs, Outputs, Hints = records(__name__, PROBES)
TESTS = ((2, 3, 0), (2, 3, 1), (0, 1, 2), (0, 1, 3))  # segment i j against point k


@jitted
def probe(hints, t, i, j, k, direction, on_segment):
    """Write row t, if rows are wanted."""
    if t < len(hints.dir):
        hints.i[t, i] = hints.j[t, j] = hints.k[t, k] = 1
        for v in range(4):
            hints.dir[t, v] = direction[v]
            hints.on_seg[t, v] = on_segment[v]
    return t + 1


@jitted
def on_box(x, y, i, j, k):
    """Whether point k lies in the box around segment i j."""
    in_x = min(x[i], x[j]) <= x[k] <= max(x[i], x[j])
    return in_x and min(y[i], y[j]) <= y[k] <= max(y[i], y[j])


@jitted
def opposite(a, b):
    return (a < 0 and b > 0) or (a > 0 and b < 0)


@jitted
def meet(direction, on_segment):
    """Whether each segment crosses the other's line, or an end point lies on the other segment."""
    if opposite(direction[0], direction[1]) and opposite(direction[2], direction[3]):
        return True
    for k in range(4):
        if direction[k] == 0 and on_segment[k]:
            return True
    return False


@jitted
def segments_intersect(x, y, direction, on_segment, hints):
    """Return whether the segments meet, and the number of rows; the last two arrays [4] are room to work in."""
    direction[:] = 0.0
    on_segment[:] = False
    t = probe(hints, 0, 0, 0, 0, direction, on_segment)  # probe
    for i, j, k in TESTS:
        direction[k] = turn(x, y, i, k, j)
        on_segment[k] = on_box(x, y, i, j, k)
        t = probe(hints, t, i, j, k, direction, on_segment)  # probe
    return meet(direction, on_segment), t


@compiled
def run(inputs, outputs, hints, lengths):
    direction, on_segment = np.zeros(4), np.zeros(4, np.bool_)
    for b in range(len(lengths)):
        intersect, lengths[b] = segments_intersect(inputs.x[b], inputs.y[b], direction, on_segment, of_sample(hints, b))
        outputs.intersect[b] = intersect


def check_points(arrays: dict[str, np.ndarray]) -> None:
    """Two segments have four end points."""
    if arrays["x"].shape[1] != 4:
        raise UsageError(f"segments_intersect needs 4 nodes, the end points, got N={arrays['x'].shape[1]}")


@in_place
def touch(x, y, i, j, k):
    """Whether point k lies on segment i j, within the tolerance."""
    return side(x, y, i, j, k) == STRAIGHT and is_between(x[i], x[k], x[j]) and is_between(y[i], y[k], y[j])


@in_place
def is_between(a, b, c):
    return a <= b <= c or c <= b <= a or ties(a, b) or ties(b, c)


@jitted
def right_answers(x, y, direction, on_segment):
    """Return whether "apart" and whether "meet" is right: both are if the segments all but touch."""
    for i, j, k in TESTS:
        direction[k], on_segment[k] = turn(x, y, i, k, j), on_box(x, y, i, j, k)
    together = meet(direction, on_segment)
    touching = False
    for i, j, k in TESTS:
        touching |= touch(x, y, i, j, k)
    return not together, together or touching


@compiled
def judge(inputs, outputs, verdicts):
    direction, on_segment = np.zeros(4), np.zeros(4, np.bool_)
    for b in range(len(verdicts.valid)):
        apart, together = right_answers(inputs.x[b], inputs.y[b], direction, on_segment)
        verdicts.valid[b] = verdicts.elements.intersect[b] = together if outputs.intersect[b] else apart


@compiled
def right_answers_of_one(x, y):
    return right_answers(x, y, np.empty(4), np.empty(4, np.bool_))


def defects(inputs, outputs):
    apart, together = right_answers_of_one(inputs["x"], inputs["y"])
    if together if outputs["intersect"] else apart:
        return []
    text = "the segments do not meet" if outputs["intersect"] else "the segments meet"
    return [Defect(text, (0, 1, 2, 3), ((0, 1), (2, 3)))]


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="1 if the segments have a point in common, else 0",
    theorem="segments meet (CLRS 33.1) if each straddles the other's line, or an end point lies on the other segment",
    ties="segments that touch meet; if they miss each other within the tolerance of the two products of a turn, both "
    "answers are right",
    elements="the verdict on the only answer",
    value=None,
)

ALGORITHM = Algorithm(
    name="segments_intersect",
    family="geometry",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=segments,
    run=run,
    lengths_at_16=(5, 5),
    multiplier=64,
    smallest=1,
    rows=lambda n: 5,
    check=check_points,
    validity=VALIDITY,
)
