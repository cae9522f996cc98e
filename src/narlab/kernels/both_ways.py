"""Numbers of pairs, z_ij = O relu(x_ij U + x_ji V + b) + o, of a pair and the one that points back; and the way back.

Pairs are rows, (i, j) is row i N + j; H, the width of U and V, is a multiple of `LANES`. x comes in parts that are put
beside each other for one graph at a time.
"""

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.lane_rows import add_lanes, copy_lanes, join_rows, share_out_rows
from narlab.kernels.lanes import STEP, fill, load, multiply_add, pick, rectified, store, sum_of
from narlab.kernels.matrices import add_transposed_product, multiply, panels_of
from narlab.kernels.numerics import ONE, ZERO, aligned, flat, lean, row_start

_0 = np.uint64(0)


@lean
def rectify_both_ways(mapped, nodes, hidden):
    """relu(x_ij U + x_ji V + b) of all pairs, from `mapped`, which has x_ij U + b and x_ij V."""
    width = np.uint64(hidden.shape[1])
    given, target = flat(mapped), flat(hidden)
    for i in range(nodes):
        for j in range(nodes):
            forth, back = row_start(2 * (i * nodes + j), width), row_start(2 * (j * nodes + i) + 1, width)
            row = row_start(i * nodes + j, width)
            for f in range(_0, width, STEP):
                store(target, row + f, rectified(load(given, forth + f) + load(given, back + f)))


@lean
def read_rows(hidden, last, offsets, out):
    """z of all pairs, from their rectified rows: a matrix as narrow as O is none for `multiply`."""
    width = np.uint64(hidden.shape[1])
    values, weights = flat(hidden), flat(last)
    for p in range(len(out)):
        row = row_start(p, width)
        for c in range(len(last)):
            channel, total = row_start(c, width), fill(ZERO)
            for f in range(_0, width, STEP):
                total = multiply_add(load(weights, channel + f), load(values, row + f), total)
            out[p, c] = sum_of(total) + offsets[c]


@compiled
def forward(parts, weights, nodes, kept, out, group):
    """Fill `out` [B, N N, C] from the parts of x [B, N N, W], for the graphs from group[0] to group[1].

    weights: U and V beside each other [W, 2H], b, O [C, H] and o. `kept` has room for relu(...), [B, N N, H], or for
    that of one graph, [1, N N, H].
    """
    maps, bias, last, offsets = weights
    panels, pairs = panels_of(maps), nodes * nodes
    x, mapped = aligned(pairs, len(maps)), aligned(pairs, maps.shape[1])
    start, unbounded = np.zeros(maps.shape[1], np.float32), np.full(maps.shape[1], -np.inf, np.float32)
    start[: len(bias)] = bias
    for b in range(group[0], group[1]):
        hidden = kept[b % len(kept)]
        join_rows(parts, b, x)
        multiply(x, panels, start, 0, unbounded, mapped)
        rectify_both_ways(mapped, nodes, hidden)
        read_rows(hidden, last, offsets, out[b])


@lean
def read_rows_backward(hidden, last, slope_when_off, d_out, d_hidden, sums):
    """Set the gradient of what was rectified, and add to those of O and o."""
    d_last, d_offsets = sums
    width = np.uint64(hidden.shape[1])
    values, weights, target, d_weights = flat(hidden), flat(last), flat(d_hidden), flat(d_last)
    for p in range(len(hidden)):
        row = row_start(p, width)
        for c in range(len(last)):
            d_offsets[c] += d_out[p, c]
        for f in range(_0, width, STEP):
            value, total = load(values, row + f), fill(ZERO)
            for c in range(len(last)):
                gradient, place = fill(d_out[p, c]), row_start(c, width) + f
                total = multiply_add(gradient, load(weights, place), total)
                store(d_weights, place, multiply_add(gradient, value, load(d_weights, place)))
            store(target, row + f, pick(value, fill(ZERO), fill(ONE), fill(slope_when_off)) * total)


@lean
def add_back_backward(d_hidden, nodes, d_mapped, d_bias):
    """Set the gradient of x_ij U + b and x_ij V from those of their sums, and add to that of b."""
    width = np.uint64(d_hidden.shape[1])
    given, target = flat(d_hidden), flat(d_mapped)
    for i in range(nodes):
        for j in range(nodes):
            row, forth = row_start(i * nodes + j, width), row_start(2 * (i * nodes + j), width)
            copy_lanes(given, row, target, forth, width)
            copy_lanes(given, row_start(j * nodes + i, width), target, forth + width, width)
            add_lanes(given, row, d_bias, _0, width)


@compiled
def backward(inputs, nodes, slope_when_off, d_out, gradients, group):
    """Fill the gradients of the parts of x, and add to those of the weights; `inputs` are the parts, the weights and
    what `forward` kept, and `slope_when_off` is that of a unit that is off."""
    parts, weights, kept = inputs
    d_parts, (d_maps, d_bias, d_last, d_offsets) = gradients
    maps, _, last, _ = weights
    panels, pairs = panels_of(maps.T), nodes * nodes
    x, d_mapped, d_hidden = aligned(pairs, len(maps)), aligned(pairs, maps.shape[1]), aligned(pairs, last.shape[1])
    zeros, unbounded = np.zeros(len(maps), np.float32), np.full(len(maps), -np.inf, np.float32)
    for b in range(group[0], group[1]):
        read_rows_backward(kept[b], last, slope_when_off, d_out[b], d_hidden, (d_last, d_offsets))
        add_back_backward(d_hidden, nodes, d_mapped, d_bias)
        join_rows(parts, b, x)
        add_transposed_product(x, d_mapped, d_maps)
        multiply(d_mapped, panels, zeros, 0, unbounded, x)
        share_out_rows(x, b, d_parts)
