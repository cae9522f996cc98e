"""Graham's scan (CLRS 33.3): the convex hull, by a stack over the points in the order of their angle."""

import math

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, in_place, jitted, of_sample, records
from narlab.algorithms.parts.geometry import lowest, turn
from narlab.algorithms.parts.order import stable_order
from narlab.algorithms.parts.valid_hulls import HULL
from narlab.algorithms.sampling.points import disc
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("x", Location.NODE, Type.SCALAR, meaning=Meaning.X),
    Probe.input("y", Location.NODE, Type.SCALAR, meaning=Meaning.Y),
    Probe.output("in_hull", Location.NODE, Type.MASK, meaning=Meaning.IN_HULL),
    Probe.hint("best", Location.NODE, Type.MASK_ONE, meaning=Meaning.LOWEST),
    Probe.hint(
        "atans",
        Location.NODE,
        Type.SCALAR,
        meaning="the point's angle as seen from the lowest one; 0 before it is known",
    ),
    Probe.hint("in_hull_h", Location.NODE, Type.MASK, meaning=Meaning.IN_HULL_SO_FAR),
    Probe.hint(
        "stack_prev",
        Location.NODE,
        Type.POINTER,
        meaning="the stack of hull points: the point under this one; itself at the bottom or off the stack",
    ),
    Probe.hint("last_stack", Location.NODE, Type.MASK_ONE, meaning="the top of the stack"),
    Probe.hint("i", Location.NODE, Type.MASK_ONE, meaning="the point that is looked at, by angle"),
    Probe.hint(
        "phase",
        Location.GRAPH,
        Type.CATEGORICAL,
        categories=5,
        meaning="begin, lowest point found, angles found, a point popped, a point pushed",
    ),
)
Inputs, Outputs, Hints = records(__name__, PROBES)
START, LOWEST, ANGLES, POP, PUSH = range(5)


@in_place
def probe(hints, t, best, atans, in_hull, stack_prev, top, i, phase):
    """Write row t."""
    for v in range(len(atans)):
        hints.atans[t, v] = atans[v]
        hints.in_hull_h[t, v] = in_hull[v]
        hints.stack_prev[t, v] = stack_prev[v]
    hints.best[t, best] = hints.last_stack[t, top] = hints.i[t, i] = hints.phase[t, phase] = 1


@jitted
def by_angle(x, y, best, atans):
    """Fill `atans` with each point's angle around the lowest one; return the lowest, then the others by angle."""
    for v in range(len(x)):
        atans[v] = math.atan2(y[v] - y[best], x[v] - x[best])
    atans[best] = -1.0  # before all others, whose angles are not negative
    order = stable_order(atans)
    atans[best] = 0.0
    return order


@jitted
def graham_scan(x, y, in_hull, hints):
    """Fill `in_hull`; return the number of rows."""
    rows, t = len(hints.best), 0
    n = len(x)
    atans, stack_prev = np.zeros(n), np.arange(n)  # the lowest element of the stack points to itself
    in_hull[:] = 0
    if t < rows:
        probe(hints, t, 0, atans, in_hull, stack_prev, 0, 0, START)
    t += 1
    best = top = lowest(x, y)
    in_hull[best] = 1
    if t < rows:
        probe(hints, t, best, atans, in_hull, stack_prev, top, best, LOWEST)
    t += 1
    order = by_angle(x, y, best, atans)
    if t < rows:
        probe(hints, t, best, atans, in_hull, stack_prev, top, best, ANGLES)
    t += 1
    for k in range(1, n):
        i = order[k]
        # Only points on one line can empty the stack; its last element stays, or this would not end.
        while k >= 3 and stack_prev[top] != top and turn(x, y, stack_prev[top], top, i) <= 0:
            popped, top = top, stack_prev[top]
            stack_prev[popped] = popped
            in_hull[popped] = 0
            if t < rows:
                probe(hints, t, best, atans, in_hull, stack_prev, top, i, POP)
            t += 1
        in_hull[i] = 1
        stack_prev[i], top = top, i
        if t < rows:
            probe(hints, t, best, atans, in_hull, stack_prev, top, i, PUSH)
        t += 1
    return t


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        lengths[b] = graham_scan(inputs.x[b], inputs.y[b], outputs.in_hull[b], of_sample(hints, b))


ALGORITHM = Algorithm(
    name="graham_scan",
    family="geometry",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=disc,
    run=run,
    lengths_at_16=(23, 29),
    smallest=3,
    validity=HULL,
)
