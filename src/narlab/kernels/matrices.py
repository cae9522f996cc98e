"""Products with matrices so small that they stay in the cache: a third faster than BLAS, which first copies them.

Rows and columns that are left over when tiles are laid out are reached by tiles that overlap.
"""

import numpy as np

from narlab.kernels.lanes import LANES, STEP, fill, flat, larger, load, multiply_add, spread, store
from narlab.kernels.numerics import ZERO, inner, lean, smaller

COLUMNS = 2 * LANES  # of a panel; no result may have fewer
_1, _2, _3, _4, _5, _6 = map(np.uint64, range(1, 7))
_COLUMNS = np.uint64(COLUMNS)


@lean
def multiply(x, panels, start, stride, lowest, out):
    """out = x matrix + start, and at least the row `lowest`; rows of the flat `start` are `stride` apart, 0 for one.

    panels: the matrix as `panels_of` packs it. Rows of `x` may be longer than it is deep. `start` may be `out`.
    """
    many, depth, width = np.uint64(x.shape[0]), np.uint64(panels.shape[1]), np.uint64(out.shape[1])
    stride, length, last = np.uint64(stride), np.uint64(x.shape[1]), many - _1
    for top in range(np.uint64(0), many, _6):
        p, q, r = smaller(top + _1, last), smaller(top + _2, last), smaller(top + _3, last)
        s, t = smaller(top + _4, last), smaller(top + _5, last)
        place = np.uint64(0)
        for left in range(np.uint64(0), width, _COLUMNS):
            column = smaller(left, width - _COLUMNS)
            right = column + STEP
            a0, a1 = load(start, top * stride + column), load(start, top * stride + right)
            p0, p1 = load(start, p * stride + column), load(start, p * stride + right)
            q0, q1 = load(start, q * stride + column), load(start, q * stride + right)
            r0, r1 = load(start, r * stride + column), load(start, r * stride + right)
            s0, s1 = load(start, s * stride + column), load(start, s * stride + right)
            t0, t1 = load(start, t * stride + column), load(start, t * stride + right)
            for k in range(depth):
                m0, m1 = load(panels, place), load(panels, place + STEP)
                place += _COLUMNS
                number = spread(x, top * length + k)
                a0, a1 = multiply_add(number, m0, a0), multiply_add(number, m1, a1)
                number = spread(x, p * length + k)
                p0, p1 = multiply_add(number, m0, p0), multiply_add(number, m1, p1)
                number = spread(x, q * length + k)
                q0, q1 = multiply_add(number, m0, q0), multiply_add(number, m1, q1)
                number = spread(x, r * length + k)
                r0, r1 = multiply_add(number, m0, r0), multiply_add(number, m1, r1)
                number = spread(x, s * length + k)
                s0, s1 = multiply_add(number, m0, s0), multiply_add(number, m1, s1)
                number = spread(x, t * length + k)
                t0, t1 = multiply_add(number, m0, t0), multiply_add(number, m1, t1)
            low, other = load(lowest, column), load(lowest, right)
            _store_two(out, top * width + column, larger(low, a0), larger(other, a1))
            _store_two(out, p * width + column, larger(low, p0), larger(other, p1))
            _store_two(out, q * width + column, larger(low, q0), larger(other, q1))
            _store_two(out, r * width + column, larger(low, r0), larger(other, r1))
            _store_two(out, s * width + column, larger(low, s0), larger(other, s1))
            _store_two(out, t * width + column, larger(low, t0), larger(other, t1))


@inner
def panels_of(matrix):
    """A matrix [K, C] in panels of columns one after the other, [panels, K, COLUMNS].

    The last two overlap where it has to be; a matrix of fewer than `COLUMNS` gets columns of zeros.
    """
    rows, width = matrix.shape
    panels = np.zeros(((width + COLUMNS - 1) // COLUMNS, rows, COLUMNS), np.float32)
    for p in range(len(panels)):
        first = max(0, min(p * COLUMNS, width - COLUMNS))
        for k in range(rows):
            for f in range(min(COLUMNS, width)):
                panels[p, k, f] = matrix[k, first + f]
    return panels


@lean
def _store_two(out, place, first, second):
    store(out, place, first)
    store(out, place + STEP, second)


@lean
def multiply_transposed(left, right, out):
    """out = left' right, of as many columns of `left` as `out` has rows, at least 6."""
    many, rows, width = np.uint64(left.shape[0]), np.uint64(out.shape[0]), np.uint64(right.shape[1])
    length = np.uint64(left.shape[1])
    x, y, out = flat(left), flat(right), flat(out)
    for top in range(np.uint64(0), rows, _6):
        row = smaller(top, rows - _6)
        for begin in range(np.uint64(0), width, _COLUMNS):
            column = smaller(begin, width - _COLUMNS)
            p0 = p1 = q0 = q1 = r0 = r1 = s0 = s1 = t0 = t1 = u0 = u1 = fill(ZERO)
            place, other = row, column
            for _ in range(many):
                y0, y1 = load(y, other), load(y, other + STEP)
                number = spread(x, place)
                p0, p1 = multiply_add(number, y0, p0), multiply_add(number, y1, p1)
                number = spread(x, place + _1)
                q0, q1 = multiply_add(number, y0, q0), multiply_add(number, y1, q1)
                number = spread(x, place + _2)
                r0, r1 = multiply_add(number, y0, r0), multiply_add(number, y1, r1)
                number = spread(x, place + _3)
                s0, s1 = multiply_add(number, y0, s0), multiply_add(number, y1, s1)
                number = spread(x, place + _4)
                t0, t1 = multiply_add(number, y0, t0), multiply_add(number, y1, t1)
                number = spread(x, place + _5)
                u0, u1 = multiply_add(number, y0, u0), multiply_add(number, y1, u1)
                place, other = place + length, other + width
            target = row * width + column
            _store_two(out, target, p0, p1)
            _store_two(out, target + width, q0, q1)
            _store_two(out, target + _2 * width, r0, r1)
            _store_two(out, target + _3 * width, s0, s1)
            _store_two(out, target + _4 * width, t0, t1)
            _store_two(out, target + _5 * width, u0, u1)


@lean
def add_transposed_product(left, right, total, scratch):
    """Add left' right to `total`."""
    multiply_transposed(left, right, scratch)
    x, out = flat(scratch), flat(total)
    for place in range(np.uint64(x.size)):
        out[place] += x[place]
