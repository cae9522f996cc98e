"""Counts over a node's pairs, n_i = sum_j sign(f_ij - f_ji), and the way back."""

import numpy as np

from narlab.kernels.lane_rows import clear_lanes
from narlab.kernels.lanes import STEP, fill, larger, load, pick, store
from narlab.kernels.numerics import ONE, ZERO, flat, lean, lean_part
from narlab.kernels.pivots import place_of


@lean_part
def signs(values, place, other):
    """The sign of f_ij - f_ji."""
    difference = load(values, place) - load(values, other)
    return pick(difference, fill(ZERO), fill(ONE), pick(fill(ZERO), difference, fill(-ONE), difference))


@lean
def counts(values, sums, out):
    """[tanh(n_i), n_i / N] of n_i = sum_j sign(f_ij - f_ji), for the first lanes of the grid `values`.

    `sums` [N, LANES] is room for n.
    """
    nodes, channels = np.uint64(len(out)), out.shape[1] // 2
    n = flat(sums)
    for i in range(nodes):
        total = fill(ZERO)
        for j in range(nodes):
            total = total + signs(values.values, place_of(values, i, j), place_of(values, j, i))
        store(n, i * STEP, total)
    for i in range(len(out)):
        for f in range(channels):
            out[i, f] = np.tanh(sums[i, f])
            out[i, channels + f] = sums[i, f] / np.float32(nodes)


@lean
def counts_backward(values, result, d_result, d_sums, d_values):
    """Set the gradient of the `values` of `counts`, as if the sign had the slope 1 / (1 + |t|)^2.

    `d_sums` [N, LANES] is room for the gradient of n.
    """
    nodes, channels = np.uint64(result.shape[0]), result.shape[1] // 2
    clear_lanes(d_sums, np.uint64(0), d_sums.size)
    for i in range(len(result)):
        for f in range(channels):
            slope = ONE - result[i, f] * result[i, f]
            d_sums[i, f] = d_result[i, f] * slope + d_result[i, channels + f] / np.float32(nodes)
    d, source, target = flat(d_sums), values.values, d_values.values
    for i in range(nodes):
        for j in range(i, nodes):
            t = load(source, place_of(values, i, j)) - load(source, place_of(values, j, i))
            distance = larger(t, fill(ZERO) - t) + fill(ONE)
            share = (load(d, i * STEP) - load(d, j * STEP)) / (distance * distance)
            store(target, place_of(d_values, i, j), share)
            store(target, place_of(d_values, j, i), fill(ZERO) - share)
