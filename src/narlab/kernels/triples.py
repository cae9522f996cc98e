"""Numbers of triples of nodes, z_ijk = w relu(x_ij U + b + x_ik V + x_kj W) + o, for the pointers of edges; and the way
back.

Pairs are rows, (i, j) is row i N + j; H, the width of U, V and W, is a multiple of `LANES`. x comes in parts that are
put beside each other for one graph at a time; nothing N^3 H large is kept.
"""

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.lane_rows import add_lanes, copy_lanes, join_rows, share_out_rows
from narlab.kernels.lanes import STEP, fill, load, multiply_add, pick, rectified, spread, store, sum_of
from narlab.kernels.matrices import add_transposed_product, multiply, panels_of
from narlab.kernels.numerics import ONE, ZERO, aligned, flat, lean, row_start

_0 = np.uint64(0)


@lean
def turn(mapped, nodes, second):
    """Put v_jk = x_kj W in row (j, k), so that those of a j lie one after the other."""
    width = np.uint64(second.shape[1])
    for j in range(nodes):
        for k in range(nodes):
            source, row = row_start(3 * (k * nodes + j) + 2, width), row_start(j * nodes + k, width)
            copy_lanes(flat(mapped), source, flat(second), row, width)


@lean
def read_rows(mapped, second, w, offset, out):
    """z of all triples, from x_ij U + b and y_ik = x_ik V beside each other in `mapped`, and v_jk."""
    nodes, width = len(out), np.uint64(second.shape[1])
    given, turned, weights, target = flat(mapped), flat(second), flat(w), flat(out)
    for i in range(nodes):
        for j in range(nodes):
            x, z = row_start(3 * (i * nodes + j), width), row_start(i * nodes + j, nodes)
            for k in range(nodes):
                y, v = row_start(3 * (i * nodes + k) + 1, width), row_start(j * nodes + k, width)
                total = fill(ZERO)
                for f in range(_0, width, STEP):
                    value = rectified(load(given, x + f) + load(given, y + f) + load(turned, v + f))
                    total = multiply_add(load(weights, f), value, total)
                target[z + np.uint64(k)] = sum_of(total) + offset


@compiled
def forward(parts, weights, nodes, kept, out, group):
    """Fill `out` [B, N, N, N] from the parts of x [B, N N, W], for the graphs from group[0] to group[1].

    weights: U, V and W beside each other [W, 3H], b, w [1, H] and o. `kept` has room for x mapped, [B, N N, 3H], or for
    that of one graph, [1, N N, 3H].
    """
    maps, bias, w, offset = weights
    panels, pairs = panels_of(maps), nodes * nodes
    x, second = aligned(pairs, len(maps)), aligned(pairs, len(bias))
    start, unbounded = np.zeros(maps.shape[1], np.float32), np.full(maps.shape[1], -np.inf, np.float32)
    start[: len(bias)] = bias
    for b in range(group[0], group[1]):
        mapped = kept[b % len(kept)]
        join_rows(parts, b, x)
        multiply(x, panels, start, 0, unbounded, mapped)
        turn(mapped, nodes, second)
        read_rows(mapped, second, w, offset[0], out[b])


@lean
def read_rows_backward(mapped, second, w, d_out, sums):
    """Set the gradient of x_ij U + b, and add to those of y_ik, v_jk and w."""
    given, turned, weights, gradients = flat(mapped), flat(second), flat(w), flat(d_out)
    d_given, d_turned, d_weights = flat(sums[0]), flat(sums[1]), flat(sums[2])
    nodes, width = len(d_out), np.uint64(second.shape[1])
    for i in range(nodes):
        for j in range(nodes):
            x, z = row_start(3 * (i * nodes + j), width), row_start(i * nodes + j, nodes)
            for f in range(_0, width, STEP):
                own, factor = load(given, x + f), load(weights, f)
                d_own, d_factor = fill(ZERO), load(d_weights, f)
                for k in range(nodes):
                    y, v = row_start(3 * (i * nodes + k) + 1, width) + f, row_start(j * nodes + k, width) + f
                    gradient = spread(gradients, z + np.uint64(k))
                    value = rectified(own + load(given, y) + load(turned, v))
                    share = pick(value, fill(ZERO), fill(ONE), fill(ZERO)) * gradient * factor
                    d_own, d_factor = d_own + share, multiply_add(gradient, value, d_factor)
                    store(d_given, y, load(d_given, y) + share)
                    store(d_turned, v, load(d_turned, v) + share)
                store(d_given, x + f, d_own)
                store(d_weights, f, d_factor)


@lean
def turn_back(d_second, nodes, d_mapped, d_bias):
    """The way back of `turn`, and add to the gradient of b."""
    width = np.uint64(d_second.shape[1])
    for k in range(nodes):
        for j in range(nodes):
            row, source = row_start(3 * (k * nodes + j), width), row_start(j * nodes + k, width)
            copy_lanes(flat(d_second), source, flat(d_mapped), row + width + width, width)
            add_lanes(flat(d_mapped), row, d_bias, _0, width)


@lean
def sum_of_all(x):
    numbers, total = flat(x), ZERO
    for place in range(np.uint64(x.size)):
        total += numbers[place]
    return total


@compiled
def backward(inputs, nodes, d_out, gradients, group):
    """Fill the gradients of the parts of x, and add to those of the weights; `inputs` are the parts, the weights and
    what `forward` kept."""
    parts, (maps, _, w, _), kept = inputs
    d_parts, (d_maps, d_bias, d_w, d_offset) = gradients
    panels, pairs = panels_of(maps.T), nodes * nodes
    x, d_mapped = aligned(pairs, len(maps)), aligned(pairs, maps.shape[1])
    second, d_second = aligned(pairs, w.shape[1]), aligned(pairs, w.shape[1])
    zeros, unbounded = np.zeros(len(maps), np.float32), np.full(len(maps), -np.inf, np.float32)
    for b in range(group[0], group[1]):
        d_mapped[:], d_second[:] = 0, 0
        turn(kept[b], nodes, second)
        read_rows_backward(kept[b], second, w, d_out[b], (d_mapped, d_second, d_w))
        turn_back(d_second, nodes, d_mapped, d_bias)
        d_offset[0] += sum_of_all(d_out[b])
        join_rows(parts, b, x)
        add_transposed_product(x, d_mapped, d_maps)
        multiply(d_mapped, panels, zeros, 0, unbounded, x)
        share_out_rows(x, b, d_parts)
