"""Numbers of triples of nodes, z_ijk = w relu(x_ij + y_ik + v_jk), for the pointers of edges; and the way back.

Rows of H numbers, a multiple of `LANES`; nothing N^3 H large is kept.
"""

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.lane_rows import clear_lanes
from narlab.kernels.lanes import STEP, fill, load, multiply_add, pick, rectified, store, sum_of
from narlab.kernels.numerics import ONE, ZERO, lean, row_start

_0 = np.uint64(0)


@lean
def read_row(x, y, v, w, out):
    """z_ijk for one pair (i, j) and all k: `x` is a row, `y` and `v` have one for each k."""
    width = np.uint64(len(w))
    for k in range(len(out)):
        row, total = row_start(k, width), fill(ZERO)
        for f in range(_0, width, STEP):
            value = rectified(load(x, f) + load(y, row + f) + load(v, row + f))
            total = multiply_add(load(w, f), value, total)
        out[k] = sum_of(total)


@compiled
def forward(pairs, first, second, w, out, group):
    """Fill `out` [B, N, N, N] from x, y and v [B, N, N, H], for the graphs from group[0] to group[1]."""
    nodes = pairs.shape[1]
    for b in range(group[0], group[1]):
        for i in range(nodes):
            for j in range(nodes):
                read_row(pairs[b, i, j], first[b, i], second[b, j], w, out[b, i, j])


@lean
def read_row_backward(x, y, v, w, d_out, sums):
    """Set the gradient of x_ij, and add to those of y_ik and v_jk for all k, and of w."""
    d_x, d_y, d_v, d_w = sums
    width = np.uint64(len(w))
    clear_lanes(d_x, _0, width)
    for k in range(len(d_out)):
        row, gradient = row_start(k, width), fill(d_out[k])
        for f in range(_0, width, STEP):
            value = rectified(load(x, f) + load(y, row + f) + load(v, row + f))
            share = pick(value, fill(ZERO), fill(ONE), fill(ZERO)) * gradient * load(w, f)
            store(d_x, f, load(d_x, f) + share)
            store(d_y, row + f, load(d_y, row + f) + share)
            store(d_v, row + f, load(d_v, row + f) + share)
            store(d_w, f, multiply_add(gradient, value, load(d_w, f)))


@compiled
def backward(inputs, d_out, sums, group):
    """Add to the gradients `sums` of `inputs` = (x, y, v, w), those of x, y and v zero at first; w has a sum of its own
    for each group."""
    pairs, first, second, w = inputs
    d_pairs, d_first, d_second, d_w = sums
    nodes = pairs.shape[1]
    for b in range(group[0], group[1]):
        for i in range(nodes):
            for j in range(nodes):
                of_row = (d_pairs[b, i, j], d_first[b, i], d_second[b, j], d_w)
                read_row_backward(pairs[b, i, j], first[b, i], second[b, j], w, d_out[b, i, j], of_row)
