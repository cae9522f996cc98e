"""Products of a vector with the larger of a node and its target, for all pairs: what a pointer of a node is read from.

z_ij = w max(x_i, y_j + raw_ji E), where raw are the few numbers that probes say of a pair; and the way back.
"""

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.numerics import ZERO, add_multiple, copy_row, flat, kernel, part, row_start


@part
def target_of(y, j, numbers, columns, out):
    """y_j + numbers E."""
    hidden = np.uint64(len(out))
    copy_row(y, row_start(j, hidden), out, np.uint64(0), hidden)
    for k in range(len(numbers)):
        if numbers[k] != ZERO:
            add_multiple(numbers[k], columns, row_start(k, hidden), out, np.uint64(0), hidden)


@kernel
def product_of_larger(x, source, target, w):
    total = ZERO
    for f in range(np.uint64(len(w))):
        total += w[f] * (x[source + f] if not (x[source + f] <= target[f]) else target[f])
    return total


@compiled
def forward(inputs, out, group):
    """Fill `out` [B, N, N] from `inputs`, nodes and targets [B, N, H], raw [B, N, N, K], E [K, H] and w [H], for the
    graphs from group[0] to group[1]."""
    nodes, targets, raw, edge, w = inputs
    hidden, columns = len(w), flat(edge)
    target = np.empty(hidden, np.float32)
    for b in range(group[0], group[1]):
        x, y = flat(nodes[b]), flat(targets[b])
        for i in range(nodes.shape[1]):
            for j in range(nodes.shape[1]):
                target_of(y, j, raw[b, j, i], columns, target)
                out[b, i, j] = product_of_larger(x, row_start(i, hidden), target, w)


@kernel
def share_out(gradient, w, arrays, source, sums):
    """Give the larger, feature by feature, its share of the gradient, and w its own; that of the target is set."""
    x, target = arrays
    d_x, d_target, d_w = sums
    for f in range(np.uint64(len(w))):
        first = not (x[source + f] <= target[f])
        share = gradient * w[f]
        d_x[source + f] += share if first else ZERO
        d_target[f] = ZERO if first else share
        d_w[f] += gradient * (x[source + f] if first else target[f])


@kernel
def collect(d_target, place, numbers, d_y, d_columns):
    """Add the gradient of a target to those of its node, whose row begins at `place`, and of E."""
    hidden = np.uint64(len(d_target))
    for f in range(hidden):
        d_y[place + f] += d_target[f]
    for k in range(len(numbers)):
        if numbers[k] != ZERO:
            add_multiple(numbers[k], d_target, np.uint64(0), d_columns, row_start(k, hidden), hidden)


@compiled
def backward(inputs, d_out, sums, group):
    """Add to the gradients `sums` of nodes, targets, E and w; the last two have a sum of their own for each group."""
    nodes, targets, raw, edge, w = inputs
    d_nodes, d_targets, d_edge, d_w = sums
    hidden, columns, d_columns = len(w), flat(edge), flat(d_edge)
    target, d_target = np.empty(hidden, np.float32), np.empty(hidden, np.float32)
    for b in range(group[0], group[1]):
        x, y, d_x, d_y = flat(nodes[b]), flat(targets[b]), flat(d_nodes[b]), flat(d_targets[b])
        for i in range(nodes.shape[1]):
            for j in range(nodes.shape[1]):
                target_of(y, j, raw[b, j, i], columns, target)
                share_out(d_out[b, i, j], w, (x, target), row_start(i, hidden), (d_x, d_target, d_w))
                collect(d_target, row_start(j, hidden), raw[b, j, i], d_y, d_columns)
