"""Products over pivots, which a triangle processor has beside its linear maps: how fast they are, and could be."""

from functools import partial

import numpy as np

from narlab.bench.cases import Case
from narlab.bench.processes import Maker, Workload
from narlab.kernels import pivot_loops
from narlab.models import processors
from narlab.models.kernels.triangle import Lanes, TriangleKernel

TRIPLES = 2_000_000  # about as many in one run
TIMES = 100_000


def makers_of(case: Case) -> list[Maker]:
    """The products of a case's processor over pivots, and their operations at best; nothing if it has none."""
    if processors.get(case.processor).kernel is not TriangleKernel:
        return []
    return [partial(products, case.nodes, case.width), at_best]


def products(nodes: int, hidden: int) -> Workload:
    """Those of one step of a graph, without winners, on one core."""
    lanes, channels = Lanes(hidden), hidden // 2
    factors = np.random.default_rng(0).standard_normal((nodes * nodes, len(lanes.of_factors)), np.float32)
    out = np.empty((nodes * nodes, len(lanes.of_products)), np.float32)
    size, times = (nodes, len(lanes.of_values) // 2, channels), max(1, TRIPLES // nodes**3)
    run = partial(pivot_loops.products, factors, size, out, np.empty((0, channels), np.int16), times)
    run()
    of_maxima = (pivot_loops.OPERATIONS + 2) * channels // 2  # inner products, and minima with a maximum
    return Workload(run, float(times * nodes**3 * (of_maxima + 2 * channels)))


def at_best() -> Workload:
    """The largest of inner products of the same few numbers, on one core."""
    run = partial(pivot_loops.at_best, TIMES)
    run()
    return Workload(run, pivot_loops.operations_at_best(TIMES))
