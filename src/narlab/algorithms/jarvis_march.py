"""Jarvis's march (CLRS 33.3): the convex hull, by wrapping the points from one hull vertex to the next."""

from narlab.algorithms.engine import Algorithm, compiled, in_place, jitted, of_sample, records
from narlab.algorithms.parts.geometry import lowest, turn
from narlab.algorithms.parts.order import index_chain
from narlab.algorithms.parts.valid_hulls import HULL
from narlab.algorithms.sampling.points import disc
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS),
    Probe.input("x", Location.NODE, Type.SCALAR, meaning=Meaning.X),
    Probe.input("y", Location.NODE, Type.SCALAR, meaning=Meaning.Y),
    Probe.output("in_hull", Location.NODE, Type.MASK, meaning=Meaning.IN_HULL),
    Probe.hint("pred_h", Location.NODE, Type.POINTER, meaning=Meaning.INDEX_ORDER),
    Probe.hint("in_hull_h", Location.NODE, Type.MASK, meaning=Meaning.IN_HULL_SO_FAR),
    Probe.hint("best", Location.NODE, Type.MASK_ONE, meaning=Meaning.LOWEST),
    Probe.hint("last_point", Location.NODE, Type.MASK_ONE, meaning="the corner found last"),
    Probe.hint("endpoint", Location.NODE, Type.MASK_ONE, meaning="the best candidate for the next corner"),
    Probe.hint("i", Location.NODE, Type.MASK_ONE, meaning="the point that is compared with it"),
    Probe.hint("phase", Location.GRAPH, Type.CATEGORICAL, categories=2, meaning="begin, wrap"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)
START, WRAP = range(2)


@in_place
def probe(hints, t, in_hull, best, last, endpoint, i, phase):
    """Write row t."""
    index_chain(hints.pred_h[t])
    for v in range(len(in_hull)):
        hints.in_hull_h[t, v] = in_hull[v]
    hints.best[t, best] = hints.last_point[t, last] = hints.endpoint[t, endpoint] = hints.i[t, i] = 1
    hints.phase[t, phase] = 1


@jitted
def jarvis_march(x, y, in_hull, hints):
    """Fill `in_hull`; return the number of rows."""
    rows, t = len(hints.best), 0
    n = len(x)
    in_hull[:] = 0
    if t < rows:
        probe(hints, t, in_hull, 0, 0, 0, 0, START)
    t += 1
    best = lowest(x, y)
    last, endpoint = best, 0
    in_hull[best] = 1
    if t < rows:
        probe(hints, t, in_hull, best, last, endpoint, 0, WRAP)
    t += 1
    while True:
        for i in range(n):
            if endpoint == last or (i != last and i != endpoint and turn(x, y, last, endpoint, i) <= 0):
                endpoint = i
            if t < rows:
                probe(hints, t, in_hull, best, last, endpoint, i, WRAP)
            t += 1
        if in_hull[endpoint]:
            return t
        in_hull[endpoint] = 1
        last, endpoint = endpoint, 0
        if t < rows:
            probe(hints, t, in_hull, best, last, endpoint, 0, WRAP)
        t += 1


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        lengths[b] = jarvis_march(inputs.x[b], inputs.y[b], outputs.in_hull[b], of_sample(hints, b))


ALGORITHM = Algorithm(
    name="jarvis_march",
    family="geometry",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=disc,
    run=run,
    lengths_at_16=(86, 188),
    smallest=3,
    validity=HULL,
)
