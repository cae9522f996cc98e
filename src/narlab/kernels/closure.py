"""The closure of values of pairs under two semirings, and the way back.

Of 2P channels the first P are costs, v_ik <- max(v_ik, max_j (v_ij + v_jk)); the others are widths, with min in place
of the sum. A round takes paths twice as long into account. Pairs are rows, (i, k) is row i N + k.
"""

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.lane_rows import clear_lanes, copy_lanes
from narlab.kernels.lanes import STEP, larger, load, store
from narlab.kernels.numerics import ZERO, flat, inner, lean, row_start
from narlab.kernels.pivots import (
    grid_of,
    largest_inner_products,
    largest_minima,
    new_columns,
    pack_columns,
    pack_rows,
    winning_inner_products,
    winning_minima,
)

_0 = np.uint64(0)
NO_PIVOT = -1  # stands for the winner where no path is better than the pair itself


@lean
def largest_of_paths(v, nodes, room, out, winner):
    """The largest values of paths of two pairs, v_ij 1 + 1 v_jk or a minimum; winners are kept if there is room."""
    half = v.shape[1] // 2
    rows, ones, columns, column_ones = room
    size, everything, width = (nodes, half), (0, nodes), 2 * half
    costs, widths = grid_of(flat(v), 0, nodes, width), grid_of(flat(v), half, nodes, width)
    made, others = grid_of(flat(out), 0, nodes, width), grid_of(flat(out), half, nodes, width)
    winners, other_winners = grid_of(flat(winner), 0, nodes, width), grid_of(flat(winner), half, nodes, width)
    pack_rows(costs, everything, size, rows)
    pack_columns(costs, size, columns)
    if len(winner):
        winning_inner_products((rows, ones), (column_ones, columns), (made, winners), nodes, size)
    else:
        largest_inner_products((rows, ones), (column_ones, columns), made, nodes, size)
    pack_rows(widths, everything, size, rows)
    pack_columns(widths, size, columns)
    if len(winner):
        winning_minima((rows, ones), (columns, column_ones), (others, other_winners), nodes, size)
    else:
        largest_minima((rows, ones), (columns, column_ones), others, nodes, size)


@lean
def close_once(v, nodes, room, out, winner):
    """One round, from `v` to `out`."""
    largest_of_paths(v, nodes, room, out, winner)
    own, made, winners = flat(v), flat(out), flat(winner)
    for place in range(np.uint64(winners.size)):
        if not made[place] > own[place]:
            winners[place] = NO_PIVOT
    for place in range(_0, np.uint64(own.size), STEP):
        store(made, place, larger(load(made, place), load(own, place)))


@inner
def room_for_closure(nodes, half):
    """Room for packed rows and columns, and for each as many ones."""
    rows, columns = np.empty(nodes * nodes * half, np.float32), new_columns(nodes, half)
    return rows, np.ones_like(rows), columns, np.ones_like(columns)


@lean
def close_once_backward(v, nodes, winner, d_out, d_v):
    """Give each winner its share of the gradient: both pairs of a sum, the smaller one of a minimum."""
    width = np.uint64(v.shape[1])
    half = width // np.uint64(2)
    own, winners, d, target = flat(v), flat(winner), flat(d_out), flat(d_v)
    clear_lanes(target, _0, target.size)
    for p in range(len(v)):
        i, k = divmod(p, nodes)
        place = row_start(p, width)
        for f in range(width):
            j, share = winners[place + f], d[place + f]
            if j == NO_PIVOT:
                target[place + f] += share
                continue
            first, second = row_start(i * nodes + j, width) + f, row_start(j * nodes + k, width) + f
            is_first = own[first] <= own[second]
            target[first] += share if f < half or is_first else ZERO
            target[second] += share if f < half or not is_first else ZERO


@compiled
def close(values, winner, nodes, group):
    """All rounds, from values[0] on [R + 1, B, N N, 2P], for the graphs from group[0] to group[1]."""
    room = room_for_closure(nodes, values.shape[3] // 2)
    for b in range(group[0], group[1]):
        for k in range(len(values) - 1):
            close_once(values[k, b], nodes, room, values[k + 1, b], winner[k, b])


@compiled
def close_backward(values, winner, d_values, nodes, group):
    """Turn the gradient [B, N N, 2P] of the last values into that of the first."""
    before = np.empty(d_values.shape[1:], np.float32)
    for b in range(group[0], group[1]):
        for k in range(len(winner) - 1, -1, -1):
            close_once_backward(values[k, b], nodes, winner[k, b], d_values[b], before)
            copy_lanes(before, _0, d_values[b], _0, before.size)
