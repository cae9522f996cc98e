"""The products of a step of the triangle processor over the pivots, and the way back.

The factors of a pair are q1, k1 (2P), q2, k2 (P), c, d (r) and f: P is r / 2, in whole lanes, and what is left over in
them is zero. Its products are m, of which the first P come from inner products and the others from minima, and u (r).
`size` is (N, P, r).
"""

from typing import NamedTuple

import numpy as np

from narlab.kernels.lane_rows import clear_lanes
from narlab.kernels.numerics import aligned, flat, inner, lean, lean_part, row_start
from narlab.kernels.pivots import (
    grid_of,
    inner_products_backward,
    largest_inner_products,
    largest_minima,
    mean_products,
    mean_products_backward,
    minima_backward,
    new_columns,
    pack_columns,
    pack_rows,
    winning_inner_products,
    winning_minima,
)


class Packed(NamedTuple):
    """Room for packed factors: rows of q1, q2 and c (or of half of q1), columns of k1, k2, the other k1, and d."""

    rows: np.ndarray
    other_rows: np.ndarray
    columns: np.ndarray
    other_columns: np.ndarray
    columns_of_minima: np.ndarray
    columns_of_means: np.ndarray


@inner
def new_packed(size, rows):
    nodes, half, channels = size
    return Packed(
        aligned(rows * nodes, max(half, channels)).reshape(-1),
        aligned(rows * nodes, half).reshape(-1),
        new_columns(nodes, max(half, channels)),
        new_columns(nodes, half),
        new_columns(nodes, half),
        new_columns(nodes, channels),
    )


@lean_part
def factor_grid(factors, start, size):
    """The grid of the factors from `start` on."""
    return grid_of(flat(factors), start, size[0], factors.shape[1])


@lean_part
def grids_of_inner_products(factors, size):
    """Those of q1, q2, k1 and k2, first half."""
    half = size[1]
    q1, q2 = factor_grid(factors, 0, size), factor_grid(factors, 4 * half, size)
    return q1, q2, factor_grid(factors, 2 * half, size), factor_grid(factors, 5 * half, size)


@lean_part
def grids_of_minima(factors, size):
    """Those of q1 and k1, second half."""
    return factor_grid(factors, size[1], size), factor_grid(factors, 3 * size[1], size)


@lean_part
def grids_of_means(factors, size):
    """Those of c and d."""
    return factor_grid(factors, 6 * size[1], size), factor_grid(factors, 6 * size[1] + size[2], size)


@lean_part
def grid_of_counts(factors, size):
    return factor_grid(factors, 6 * size[1] + 2 * size[2], size)


@lean
def pack_all_columns(factors, size, packed):
    half, channels = (size[0], size[1]), (size[0], size[2])
    _, _, k1, k2 = grids_of_inner_products(factors, size)
    pack_columns(k1, half, packed.columns)
    pack_columns(k2, half, packed.other_columns)
    pack_columns(grids_of_minima(factors, size)[1], half, packed.columns_of_minima)
    pack_columns(grids_of_means(factors, size)[1], channels, packed.columns_of_means)


@lean
def products_of(factors, size, bounds, products, winner, packed):
    """[m, u] of the pairs of the nodes from bounds[0] to bounds[1], once all columns are packed; winners are kept if
    there is room for them."""
    nodes, half, channels = size
    small, count = (nodes, half), bounds[1] - bounds[0]
    width = products.shape[1]
    q1, q2, _, _ = grids_of_inner_products(factors, size)
    pack_rows(q1, bounds, small, packed.rows)
    pack_rows(q2, bounds, small, packed.other_rows)
    rows, columns = (packed.rows, packed.other_rows), (packed.columns, packed.other_columns)
    m, others = grid_of(flat(products), 0, nodes, width), grid_of(flat(products), half, nodes, width)
    if len(winner):
        outs = (m, grid_of(flat(winner), 0, nodes, 2 * half))
        winning_inner_products(rows, columns, outs, count, small)
    else:
        largest_inner_products(rows, columns, m, count, small)
    pack_rows(grids_of_minima(factors, size)[0], bounds, small, packed.rows)
    rows, columns = (packed.rows, packed.rows), (packed.columns_of_minima, packed.columns_of_minima)
    if len(winner):
        outs = (others, grid_of(flat(winner), half, nodes, 2 * half))
        winning_minima(rows, columns, outs, count, small)
    else:
        largest_minima(rows, columns, others, count, small)
    pack_rows(grids_of_means(factors, size)[0], bounds, (nodes, channels), packed.rows)
    u = grid_of(flat(products), 2 * half, nodes, width)
    mean_products(packed.rows, packed.columns_of_means, u, count, (nodes, channels))


@lean
def products_backward(factors, size, winner, d_products, d_factors, packed):
    """From the gradient of [m, u], set those of all factors but f."""
    nodes, half, channels = size
    small, width = (nodes, half), d_products.shape[1]
    for p in range(len(d_factors)):
        clear_lanes(d_factors, row_start(p, d_factors.shape[1]), 6 * half)
    winners, d_made = flat(winner), flat(d_products)
    of_first, d_first = grid_of(winners, 0, nodes, 2 * half), grid_of(d_made, 0, nodes, width)
    given, d_given = grids_of_inner_products(factors, size), grids_of_inner_products(d_factors, size)
    inner_products_backward(of_first, d_first, small, given, d_given)
    of_second, d_second = grid_of(winners, half, nodes, 2 * half), grid_of(d_made, half, nodes, width)
    minima_backward(of_second, d_second, small, grids_of_minima(factors, size), grids_of_minima(d_factors, size))
    c, other = grids_of_means(factors, size)
    d_c, d_other = grids_of_means(d_factors, size)
    d_u = grid_of(d_made, 2 * half, nodes, width)
    mean_products_backward(c, other, d_u, d_c, d_other, (nodes, channels), (packed.rows, packed.columns))
