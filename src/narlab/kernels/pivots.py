"""Products over a pivot j of a graph's pairs, per channel, and the way back: pairs (i, j) and (j, k) meet in (i, k).

Both factors are packed first, so that what one product needs lies in a row, whatever N is. `size` is (N, r).
"""

from typing import NamedTuple

import numpy as np

from narlab.kernels.lanes import (
    LANES,
    STEP,
    WIDE_STEP,
    fill_wide,
    first_half,
    larger,
    load,
    load_twice,
    load_wide,
    multiply_add,
    pick,
    second_half,
    store,
    store_whole,
)
from narlab.kernels.numerics import ONE, ZERO, aligned, inner, lean, lean_part, smaller

STRIP = 4  # columns that are worked on together, so that their sums stay in registers
_0, _1, _2, _3, _STRIP = map(np.uint64, (0, 1, 2, 3, STRIP))
_STRIDE = np.uint64(STRIP * LANES)  # from a pivot of a strip to the next


class Grid(NamedTuple):
    """The channels of N by N pairs inside of a flat array; those of (p, q) begin at start + p row + q column."""

    values: np.ndarray
    start: np.uint64
    row: np.uint64
    column: np.uint64


@lean_part
def grid_of(values, start, nodes, width):
    """The channels from `start` on of pairs whose rows in the flat array are `width` wide."""
    return Grid(values, np.uint64(start), np.uint64(nodes) * np.uint64(width), np.uint64(width))


@lean_part
def transposed(grid):
    return Grid(grid.values, grid.start, grid.column, grid.row)


@lean_part
def place_of(grid, p, q):
    return grid.start + p * grid.row + q * grid.column


@inner
def new_columns(nodes, channels):
    """Room for the packed columns of a grid."""
    return aligned((nodes + STRIP - 1) // STRIP * nodes, STRIP * channels).reshape(-1)


@lean
def pack_columns(grid, size, out):
    """Strips of columns one after the other, lanes by lanes: [N / STRIP, r / LANES, N, STRIP, LANES].

    Where N is not a multiple of STRIP the last column is repeated.
    """
    nodes, channels = np.uint64(size[0]), np.uint64(size[1])
    target, last = _0, nodes - _1
    for first in range(_0, nodes, _STRIP):
        p, q, r = smaller(first + _1, last), smaller(first + _2, last), smaller(first + _3, last)
        for f in range(_0, channels, STEP):
            for s in range(nodes):
                store(out, target, load(grid.values, place_of(grid, s, first) + f))
                store(out, target + STEP, load(grid.values, place_of(grid, s, p) + f))
                store(out, target + _2 * STEP, load(grid.values, place_of(grid, s, q) + f))
                store(out, target + _3 * STEP, load(grid.values, place_of(grid, s, r) + f))
                target += _STRIDE


@lean
def pack_rows(grid, rows, size, out):
    """The rows from rows[0] to rows[1], lanes by lanes: [rows, r / LANES, N, LANES]."""
    nodes, channels = np.uint64(size[0]), np.uint64(size[1])
    target = _0
    for p in range(np.uint64(rows[0]), np.uint64(rows[1])):
        for f in range(_0, channels, STEP):
            place = place_of(grid, p, _0) + f
            for _ in range(nodes):
                store(out, target, load(grid.values, place))
                target, place = target + STEP, place + grid.column


@lean_part
def strip_at(columns, place):
    """What a strip of packed columns has for one pivot, two columns side by side."""
    return load_wide(columns, place), load_wide(columns, place + WIDE_STEP)


@lean_part
def inner_products(rows, p, columns, place):
    """a_ij b_jk + a'_ij b'_jk of one pivot with the columns of a strip; `rows` are a and a', `columns` b and b'."""
    a, other = load_twice(rows[0], p), load_twice(rows[1], p)
    b0, b1 = strip_at(columns[0], place)
    c0, c1 = strip_at(columns[1], place)
    return a * b0 + other * c0, a * b1 + other * c1


@lean_part
def smaller_ones(rows, p, columns, place):
    """min(a_ij, b_jk) of one pivot with the columns of a strip."""
    a = load_twice(rows[0], p)
    b0, b1 = strip_at(columns[0], place)
    return pick(a, b0, b0, a), pick(a, b1, b1, a)


@lean_part
def larger_ones(m, s):
    return larger(m[0], s[0]), larger(m[1], s[1])


@lean_part
def later_pivots(m, s, pivot, j):
    """The new pivot where its value is larger than the largest so far."""
    return pick(s[0], m[0], pivot, j[0]), pick(s[1], m[1], pivot, j[1])


@lean_part
def means_of_two_rows(rows, p, q, columns, place, nodes):
    """The mean products of two rows, which begin at p and q, with the columns of a strip."""
    a0 = a1 = b0 = b1 = fill_wide(ZERO)
    for _ in range(nodes):
        a, b = load_twice(rows, p), load_twice(rows, q)
        c0, c1 = strip_at(columns, place)
        a0, a1 = multiply_add(a, c0, a0), multiply_add(a, c1, a1)
        b0, b1 = multiply_add(b, c0, b0), multiply_add(b, c1, b1)
        p, q, place = p + STEP, q + STEP, place + _STRIDE
    share = fill_wide(ONE / np.float32(nodes))
    return (a0 * share, a1 * share), (b0 * share, b1 * share)


@lean_part
def store_strip(grid, p, first, nodes, f, values):
    """Write the columns of a strip in row p; beyond the last one it is written again."""
    last = nodes - _1
    store(grid.values, place_of(grid, p, first) + f, first_half(values[0]))
    store(grid.values, place_of(grid, p, smaller(first + _1, last)) + f, second_half(values[0]))
    store(grid.values, place_of(grid, p, smaller(first + _2, last)) + f, first_half(values[1]))
    store(grid.values, place_of(grid, p, smaller(first + _3, last)) + f, second_half(values[1]))


@lean_part
def store_whole_strip(grid, p, first, nodes, f, values):
    """The same for a grid of integers."""
    last = nodes - _1
    store_whole(grid.values, place_of(grid, p, first) + f, first_half(values[0]))
    store_whole(grid.values, place_of(grid, p, smaller(first + _1, last)) + f, second_half(values[0]))
    store_whole(grid.values, place_of(grid, p, smaller(first + _2, last)) + f, first_half(values[1]))
    store_whole(grid.values, place_of(grid, p, smaller(first + _3, last)) + f, second_half(values[1]))


def _largest(values_of):
    """Compiled code for the largest of such values over all pivots; a function can't be handed over to it, since what
    is compiled could then not be kept on disk."""

    @lean
    def largest(rows, columns, out, count, size):
        nodes, channels, count = np.uint64(size[0]), np.uint64(size[1]), np.uint64(count)
        place = _0
        for k in range(_0, nodes, _STRIP):
            for f in range(_0, channels, STEP):
                for i in range(_0, count, _2):  # two rows: a maximum waits for the one before
                    other = smaller(i + _1, count - _1)
                    p, r, q = (i * channels + f) * nodes, (other * channels + f) * nodes, place
                    best, best_of_other = values_of(rows, p, columns, q), values_of(rows, r, columns, q)
                    for _ in range(_1, nodes):
                        p, r, q = p + STEP, r + STEP, q + _STRIDE
                        best = larger_ones(best, values_of(rows, p, columns, q))
                        best_of_other = larger_ones(best_of_other, values_of(rows, r, columns, q))
                    store_strip(out, i, k, nodes, f, best)
                    store_strip(out, other, k, nodes, f, best_of_other)
                place += nodes * _STRIDE

    return largest


def _largest_and_winners(values_of):
    """The same, and the first j that the largest comes from."""

    @lean
    def largest_and_winners(rows, columns, outs, count, size):
        out, winner = outs
        nodes, channels, count = np.uint64(size[0]), np.uint64(size[1]), np.uint64(count)
        place = _0
        for k in range(_0, nodes, _STRIP):
            for f in range(_0, channels, STEP):
                for i in range(count):
                    p, q = (i * channels + f) * nodes, place
                    best, first = values_of(rows, p, columns, q), fill_wide(ZERO)
                    pivots = (first, first)
                    for j in range(_1, nodes):
                        p, q = p + STEP, q + _STRIDE
                        values = values_of(rows, p, columns, q)
                        pivots = later_pivots(best, values, fill_wide(np.float32(j)), pivots)
                        best = larger_ones(best, values)
                    store_strip(out, i, k, nodes, f, best)
                    store_whole_strip(winner, i, k, nodes, f, pivots)
                place += nodes * _STRIDE

    return largest_and_winners


# Of packed factors, for the first `count` rows of the grid `out`: m_ik = max_j (a_ij b_jk + a'_ij b'_jk), or with min.
largest_inner_products, largest_minima = _largest(inner_products), _largest(smaller_ones)
# In the grids `outs` m, and the j that it comes from.
winning_inner_products, winning_minima = _largest_and_winners(inner_products), _largest_and_winners(smaller_ones)


@lean
def inner_products_backward(winner, d_out, size, factors, d_factors):
    """Give the winners' factors their shares of the gradient; both are grids of a, a', b and b', of the same form."""
    nodes, channels = np.uint64(size[0]), np.uint64(size[1])
    a, other_a, b, other_b = factors
    values, d = a.values, d_factors[0].values
    for i in range(nodes):
        for k in range(nodes):
            place, source = place_of(d_out, i, k), place_of(winner, i, k)
            row, column = i * a.row, k * a.column
            for f in range(channels):
                j, share = np.uint64(winner.values[source + f]), d_out.values[place + f]
                first, second = row + j * a.column + f, j * a.row + column + f
                p, q = a.start + first, b.start + second
                other_p, other_q = other_a.start + first, other_b.start + second
                d[p] += share * values[q]
                d[q] += share * values[p]
                d[other_p] += share * values[other_q]
                d[other_q] += share * values[other_p]


@lean
def minima_backward(winner, d_out, size, factors, d_factors):
    """Give the smaller of the winner's two factors, the first of equals, its share of the gradient."""
    nodes, channels = np.uint64(size[0]), np.uint64(size[1])
    a, b = factors
    values, d = a.values, d_factors[0].values
    for i in range(nodes):
        for k in range(nodes):
            place, source = place_of(d_out, i, k), place_of(winner, i, k)
            row, column = a.start + i * a.row, b.start + k * b.column
            for f in range(channels):
                j, share = np.uint64(winner.values[source + f]), d_out.values[place + f]
                p, q = row + j * a.column + f, j * b.row + column + f
                d[p if values[p] <= values[q] else q] += share


@lean
def mean_products(rows, columns, out, count, size):
    """u_ik = mean_j c_ij d_jk of packed c and d, for the first `count` rows of `out`."""
    nodes, channels, count = np.uint64(size[0]), np.uint64(size[1]), np.uint64(count)
    place, length = _0, nodes * STEP
    for k in range(_0, nodes, _STRIP):
        for f in range(_0, channels, STEP):
            for i in range(_0, count, _2):
                other = smaller(i + _1, count - _1)
                p, q = (i * channels + f) * nodes, (other * channels + f) * nodes
                means, means_of_other = means_of_two_rows(rows, p, q, columns, place, nodes)
                store_strip(out, i, k, nodes, f, means)
                store_strip(out, other, k, nodes, f, means_of_other)
            place += _STRIP * length


@lean
def mean_products_backward(c, d, d_out, d_c, d_d, size, room):
    """The gradients of both factors of `mean_products` from that of its result; `room` is for rows and columns."""
    rows, columns = room
    everything = (0, size[0])
    pack_rows(d_out, everything, size, rows)
    pack_columns(transposed(d), size, columns)
    mean_products(rows, columns, d_c, size[0], size)
    pack_rows(transposed(c), everything, size, rows)
    pack_columns(d_out, size, columns)
    mean_products(rows, columns, d_d, size[0], size)
