"""Products of a vector with the larger of two rows, for all pairs of rows: what a pointer of an edge is read from.

z_rk = w max(x_r, y_k), where the rows r of a graph meet all of its nodes k; and the way back.
"""

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.numerics import ZERO, flat, kernel, row_start


@kernel
def product_of_larger(x, r, y, k, w):
    total = ZERO
    for f in range(np.uint64(len(w))):
        total += w[f] * (x[r + f] if not (x[r + f] <= y[k + f]) else y[k + f])
    return total


@compiled
def forward(rows, nodes, w, out, group):
    """Fill `out` [B, R, N] from rows [B, R, H] and nodes [B, N, H], for the graphs from group[0] to group[1]."""
    hidden = len(w)
    for b in range(group[0], group[1]):
        x, y = flat(rows[b]), flat(nodes[b])
        for r in range(rows.shape[1]):
            for k in range(nodes.shape[1]):
                out[b, r, k] = product_of_larger(x, row_start(r, hidden), y, row_start(k, hidden), w)


@kernel
def share_out(gradient, w, arrays, places, sums):
    """Give the larger of two rows, feature by feature, its share of the gradient, and w its own."""
    x, y = arrays
    r, k = places
    d_x, d_y, d_w = sums
    for f in range(np.uint64(len(w))):
        first = not (x[r + f] <= y[k + f])
        share = gradient * w[f]
        d_x[r + f] += share if first else ZERO
        d_y[k + f] += ZERO if first else share
        d_w[f] += gradient * (x[r + f] if first else y[k + f])


@compiled
def backward(inputs, d_out, sums, group):
    """Add to the gradients `sums` of `inputs` = (rows, nodes, w); w has a sum of its own for each group."""
    rows, nodes, w = inputs
    d_rows, d_nodes, d_w = sums
    hidden = len(w)
    for b in range(group[0], group[1]):
        arrays, d_x, d_y = (flat(rows[b]), flat(nodes[b])), flat(d_rows[b]), flat(d_nodes[b])
        for r in range(rows.shape[1]):
            for k in range(nodes.shape[1]):
                places = (row_start(r, hidden), row_start(k, hidden))
                share_out(d_out[b, r, k], w, arrays, places, (d_x, d_y, d_w))
