"""Products over pivots and nothing else, again and again: what benchmarks measure."""

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.lanes import LANES, STEP, first_half, second_half, store
from narlab.kernels.numerics import ONE, lean
from narlab.kernels.pivots import STRIP, inner_products, larger_ones
from narlab.kernels.triangle_products import new_packed, pack_all_columns, products_of

PIVOTS = 64  # so many of a strip lie in the nearest cache
OPERATIONS = 4  # for a channel of an inner product: two products, a sum, a maximum
_0, _1 = np.uint64(0), np.uint64(1)
_STRIDE = np.uint64(STRIP * LANES)


@compiled
def products(factors, size, out, winner, times):
    """All products of one step of a graph, from factors as the step has them; see `triangle_products`."""
    packed = new_packed(size, size[0])
    for _ in range(times):
        pack_all_columns(factors, size, packed)
        products_of(factors, size, (0, size[0]), out, winner, packed)


@lean
def strip(rows, columns, out):
    """The largest of the inner products of one row with one strip of columns."""
    p, q = _0, _0
    best = inner_products(rows, p, columns, q)
    for _ in range(_1, np.uint64(PIVOTS)):
        p, q = p + STEP, q + _STRIDE
        best = larger_ones(best, inner_products(rows, p, columns, q))
    total = best[0] + best[1]
    store(out, _0, first_half(total) + second_half(total))


@compiled
def at_best(times):
    """`strip`, of the same numbers; returns one of the results."""
    row, column = np.full(PIVOTS * LANES, ONE), np.full(PIVOTS * STRIP * LANES, ONE)
    out = np.zeros(LANES, np.float32)
    for k in range(times):
        row[0] = np.float32(k)  # else the compiler does it once
        strip((row, row), (column, column), out)
    return out[0]


def operations_at_best(times):
    return float(times * PIVOTS * STRIP * LANES * OPERATIONS)
