"""Linear maps of a pair and of the pair that points back, y_ij = x_ij U + x_ji V + b, and the way back.

Pairs are rows, (i, j) is row i N + j; H, the width of y, is a multiple of `LANES`. x comes in parts that are put
beside each other for one graph at a time.
"""

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.lane_rows import add_lanes, copy_lanes, join_rows, share_out_rows
from narlab.kernels.lanes import STEP, load, store
from narlab.kernels.matrices import add_transposed_product, multiply, panels_of
from narlab.kernels.numerics import aligned, flat, lean, row_start

_0 = np.uint64(0)


@lean
def add_back(mapped, nodes, out):
    """y of all pairs, from `mapped`, which has x_ij U + b and x_ij V."""
    width = np.uint64(out.shape[1])
    given, target = flat(mapped), flat(out)
    for i in range(nodes):
        for j in range(nodes):
            forth, back = row_start(2 * (i * nodes + j), width), row_start(2 * (j * nodes + i) + 1, width)
            row = row_start(i * nodes + j, width)
            for f in range(_0, width, STEP):
                store(target, row + f, load(given, forth + f) + load(given, back + f))


@compiled
def forward(parts, maps, bias, nodes, out, group):
    """Fill `out` [B, N N, H] from the parts of x [B, N N, W] and U and V beside each other [W, 2H], for a group."""
    panels, pairs = panels_of(maps), nodes * nodes
    x, mapped = aligned(pairs, len(maps)), aligned(pairs, maps.shape[1])
    start, unbounded = np.zeros(maps.shape[1], np.float32), np.full(maps.shape[1], -np.inf, np.float32)
    start[: len(bias)] = bias
    for b in range(group[0], group[1]):
        join_rows(parts, b, x)
        multiply(x, panels, start, 0, unbounded, mapped)
        add_back(mapped, nodes, out[b])


@lean
def add_back_backward(d_out, nodes, d_mapped, d_bias):
    """Set the gradient of what `add_back` takes, and add to that of b."""
    width = np.uint64(d_out.shape[1])
    given, target = flat(d_out), flat(d_mapped)
    for i in range(nodes):
        for j in range(nodes):
            row, forth = row_start(i * nodes + j, width), row_start(2 * (i * nodes + j), width)
            copy_lanes(given, row, target, forth, width)
            copy_lanes(given, row_start(j * nodes + i, width), target, forth + width, width)
            add_lanes(given, row, d_bias, _0, width)


@compiled
def backward(parts, maps, nodes, d_out, d_parts, gradients, group):
    """Fill the gradients of the parts of x, and add to those of U and V and of b."""
    d_maps, d_bias = gradients
    panels, pairs = panels_of(maps.T), nodes * nodes
    x, d_mapped = aligned(pairs, len(maps)), aligned(pairs, maps.shape[1])
    zeros, unbounded = np.zeros(len(maps), np.float32), np.full(len(maps), -np.inf, np.float32)
    for b in range(group[0], group[1]):
        join_rows(parts, b, x)
        add_back_backward(d_out[b], nodes, d_mapped, d_bias)
        add_transposed_product(x, d_mapped, d_maps)
        multiply(d_mapped, panels, zeros, 0, unbounded, x)
        share_out_rows(x, b, d_parts)
