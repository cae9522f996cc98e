"""Counts over a node's pairs, n_i = sum_j sign(f_ij - f_ji), and the way back."""

import numpy as np

from narlab.kernels.lanes import LANES, STEP, fill, larger, load, pick, store
from narlab.kernels.numerics import ONE, ZERO, flat, kernel, part
from narlab.kernels.pivots import place_of

_0 = np.uint64(0)


@part
def signs(values, place, other):
    """The sign of f_ij - f_ji."""
    difference = load(values, place) - load(values, other)
    return pick(difference, fill(ZERO), fill(ONE), pick(fill(ZERO), difference, fill(-ONE), difference))


@kernel
def counts(values, out):
    """[tanh(n_i), n_i / N] of n_i = sum_j sign(f_ij - f_ji), for the first lanes of the grid `values`."""
    nodes, channels = np.uint64(len(out)), out.shape[1] // 2
    row = np.empty(LANES, np.float32)
    for i in range(nodes):
        total = fill(ZERO)
        for j in range(nodes):
            total = total + signs(values.values, place_of(values, i, j), place_of(values, j, i))
        store(row, _0, total)
        for f in range(channels):
            out[i, f] = np.tanh(row[f])
            out[i, channels + f] = row[f] / np.float32(nodes)


@kernel
def counts_backward(values, result, d_result, d_values):
    """Set the gradient of the `values` of `counts`, as if the sign had the slope 1 / (1 + |t|)^2."""
    nodes, channels = np.uint64(result.shape[0]), result.shape[1] // 2
    d_sums = np.zeros((result.shape[0], LANES), np.float32)
    for i in range(nodes):
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
