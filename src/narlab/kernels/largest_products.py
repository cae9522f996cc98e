"""The largest of inner products over a pivot, m_ik = max_j (a_ij b_jk + a'_ij b'_jk), and the way back.

The factors of a pair are a, a', b and b', one behind the other, in whole lanes. Pairs are rows, (i, k) is row i N + k.
"""

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.numerics import flat, inner, lean, lean_part
from narlab.kernels.pivots import (
    grid_of,
    inner_products_backward,
    largest_inner_products,
    new_columns,
    pack_columns,
    pack_rows,
    winning_inner_products,
)


@lean_part
def grids_of(factors, nodes):
    """Those of a, a', b and b'."""
    width = factors.shape[1]
    channels = width // 4
    values = flat(factors)
    a, other_a = grid_of(values, 0, nodes, width), grid_of(values, channels, nodes, width)
    return a, other_a, grid_of(values, 2 * channels, nodes, width), grid_of(values, 3 * channels, nodes, width)


@inner
def room_for(nodes, channels):
    """Room for packed rows and columns."""
    rows, columns = np.empty(nodes * nodes * channels, np.float32), new_columns(nodes, channels)
    return (rows, np.empty_like(rows)), (columns, np.empty_like(columns))


@lean
def of_graph(factors, nodes, room, largest, winner):
    """m of one graph; winners are kept if there is room."""
    rows, columns = room
    channels = largest.shape[1]
    size, everything = (nodes, channels), (0, nodes)
    a, other_a, b, other_b = grids_of(factors, nodes)
    pack_rows(a, everything, size, rows[0])
    pack_rows(other_a, everything, size, rows[1])
    pack_columns(b, size, columns[0])
    pack_columns(other_b, size, columns[1])
    out = grid_of(flat(largest), 0, nodes, channels)
    if len(winner):
        winning_inner_products(rows, columns, (out, grid_of(flat(winner), 0, nodes, channels)), nodes, size)
    else:
        largest_inner_products(rows, columns, out, nodes, size)


@compiled
def forward(factors, largest, winner, nodes, group):
    """Fill m [B, N N, C] and, if there is room, its winners, for the graphs from group[0] to group[1]."""
    room = room_for(nodes, largest.shape[2])
    for b in range(group[0], group[1]):
        of_graph(factors[b], nodes, room, largest[b], winner[b])


@lean
def of_graph_backward(factors, nodes, winner, d_largest, d_factors):
    channels = d_largest.shape[1]
    d_out = grid_of(flat(d_largest), 0, nodes, channels)
    winners = grid_of(flat(winner), 0, nodes, channels)
    inner_products_backward(winners, d_out, (nodes, channels), grids_of(factors, nodes), grids_of(d_factors, nodes))


@compiled
def backward(factors, winner, d_largest, d_factors, nodes, group):
    """Add the winners' shares of the gradient to `d_factors`."""
    for b in range(group[0], group[1]):
        of_graph_backward(factors[b], nodes, winner[b], d_largest[b], d_factors[b])
