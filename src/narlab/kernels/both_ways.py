"""Linear maps of a pair and of the pair that points back, y_ij = x_ij U + x_ji V + b, and the way back.

Pairs are rows, (i, j) is row i N + j; H, the width of y, is a multiple of `LANES`.
"""

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.lane_rows import add_lanes, copy_lanes
from narlab.kernels.lanes import STEP, load, store
from narlab.kernels.matrices import add_transposed_product, multiply, panels_of
from narlab.kernels.numerics import aligned, flat, lean, row_start

_0 = np.uint64(0)


@lean
def add_back(parts, nodes, out):
    """y of all pairs, from `parts`, which has x_ij U + b and x_ij V."""
    width = np.uint64(out.shape[1])
    given, target = flat(parts), flat(out)
    for i in range(nodes):
        for j in range(nodes):
            forth, back = row_start(2 * (i * nodes + j), width), row_start(2 * (j * nodes + i) + 1, width)
            row = row_start(i * nodes + j, width)
            for f in range(_0, width, STEP):
                store(target, row + f, load(given, forth + f) + load(given, back + f))


@compiled
def forward(x, maps, bias, nodes, out, group):
    """Fill `out` [B, N N, H] from x [B, N N, W] and U and V beside each other [W, 2H], for the graphs of a group."""
    panels, parts = panels_of(maps), aligned(x.shape[1], maps.shape[1])
    start, unbounded = np.zeros(maps.shape[1], np.float32), np.full(maps.shape[1], -np.inf, np.float32)
    start[: len(bias)] = bias
    for b in range(group[0], group[1]):
        multiply(x[b], panels, start, 0, unbounded, parts)
        add_back(parts, nodes, out[b])


@lean
def add_back_backward(d_out, nodes, d_parts, d_bias):
    """Set the gradient of what `add_back` takes, and add to that of b."""
    width = np.uint64(d_out.shape[1])
    given, target = flat(d_out), flat(d_parts)
    for i in range(nodes):
        for j in range(nodes):
            row, forth = row_start(i * nodes + j, width), row_start(2 * (i * nodes + j), width)
            copy_lanes(given, row, target, forth, width)
            copy_lanes(given, row_start(j * nodes + i, width), target, forth + width, width)
            add_lanes(given, row, d_bias, _0, width)


@compiled
def backward(x, maps, nodes, d_out, gradients, group):
    """Fill the gradient of x, and add to those of U and V and of b."""
    d_x, d_maps, d_bias = gradients
    panels, d_parts = panels_of(maps.T), aligned(x.shape[1], maps.shape[1])
    zeros = np.zeros(len(maps), np.float32)
    unbounded = np.full(max(maps.shape), -np.inf, np.float32)
    for b in range(group[0], group[1]):
        add_back_backward(d_out[b], nodes, d_parts, d_bias)
        add_transposed_product(x[b], d_parts, d_maps)
        multiply(d_parts, panels, zeros, 0, unbounded, d_x[b])
