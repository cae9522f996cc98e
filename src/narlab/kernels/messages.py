"""The messages along a tile of edges: what they are made of, the largest at each receiver, and the way back."""

from typing import NamedTuple

import numpy as np

from narlab.kernels.matrices import BLOCK, add_transposed_product, multiply, share_with_winners
from narlab.kernels.numerics import ZERO, add_multiple, add_row, flat, kernel, row_start

TILE = 512  # messages at a time
FEW = 4  # messages per receiver: below this a product over all of them is quicker than the rows of the winners


class Edges(NamedTuple):
    """The edges of a batch, sorted by graph and receiver; nodes are counted within their graph.

    A state has one graph for all steps, or one for each: then all those of the first step come first.
    """

    first: np.ndarray  # of each graph, [G + 1]
    sender: np.ndarray  # [E]
    receiver: np.ndarray  # [E]
    raw: np.ndarray  # what the probes say of them, [E, K]


@kernel
def graph_of(edges, b, t, states):
    """The number of the graph that state `b`, of so many, has at step `t`."""
    return (t * states + b) % (len(edges.first) - 1)


@kernel
def tile_end(edges, start, last):
    """The end of a tile of whole receivers that begins at edge `start`; the tile has at most `TILE` edges or one
    receiver."""
    end = start
    while end < last:
        stop = end + 1
        while stop < last and edges.receiver[stop] == edges.receiver[end]:
            stop += 1
        if end > start and stop - start > TILE:
            break
        end = stop
    return end


@kernel
def first_layer(edges, weights, parts, start, end, out):
    """relu(sender_i + receiver_j + raw_ij E) of the edges from `start` to `end`."""
    hidden = np.uint64(out.shape[1])
    x, column, y = flat(parts), flat(weights.edge), flat(out)
    for e in range(start, end):
        target = row_start(e - start, hidden)
        sender, receiver = row_start(3 * edges.sender[e], hidden), row_start(3 * edges.receiver[e] + 1, hidden)
        for f in range(hidden):
            y[target + f] = x[sender + f] + x[receiver + f]
        for k in range(edges.raw.shape[1]):
            if edges.raw[e, k] != ZERO:
                add_multiple(edges.raw[e, k], column, row_start(k, hidden), y, target, hidden)
        for f in range(hidden):
            y[target + f] = ZERO if y[target + f] < ZERO else y[target + f]


@kernel
def largest_messages(edges, messages, start, end, zero, inbox, winner):
    """The largest message to each receiver and its edge; edges count from `zero`."""
    hidden = np.uint64(messages.shape[1])
    x, best, which = flat(messages), flat(inbox), flat(winner)
    last = -1
    for e in range(start, end):
        source, target, number = row_start(e - start, hidden), row_start(edges.receiver[e], hidden), np.int32(e - zero)
        if edges.receiver[e] != last:
            last = edges.receiver[e]
            for f in range(hidden):
                best[target + f] = x[source + f]
                which[target + f] = number
        else:
            for f in range(hidden):
                better = not (x[source + f] <= best[target + f])
                best[target + f] = x[source + f] if better else best[target + f]
                which[target + f] = number if better else which[target + f]


@kernel
def mask_by(x, rectified):
    """Set `x` to zero where a rectified value is zero."""
    numbers, others = flat(x), flat(rectified)
    for place in range(np.uint64(x.size)):
        numbers[place] = numbers[place] if others[place] > ZERO else ZERO


@kernel
def spread_to_winners(messages, winner, d_inbox, out_rows, tile, gradients):
    """Give each winning message's hidden row its share, and the rows of W2 theirs; `tile` is (start, first receiver,
    end receiver) within the graph."""
    start, first, last = tile
    hidden, width, zero = np.uint64(messages.shape[1]), np.uint64(winner.shape[1]), np.uint64(start)
    x, rows, d_x, d_rows = flat(messages), flat(out_rows), flat(gradients[0]), flat(gradients[1])
    shares, chosen, blocks = flat(d_inbox), flat(winner), hidden - hidden % np.uint64(BLOCK)
    place, count = row_start(first, width), np.uint64(last - first)
    for k in range(np.uint64(0), blocks, np.uint64(BLOCK)):
        for f in range(width):
            places = (place + f, hidden, count, zero, k, row_start(f, hidden) + k)
            share_with_winners(shares, chosen, places, x, d_x, rows, d_rows)
    for f in range(width):
        for k in range(blocks, hidden):
            own = row_start(f, hidden) + k
            for at in range(place + f, place + f + count * width, width):
                won = (np.uint64(chosen[at]) - zero) * hidden + k
                d_rows[own] += shares[at] * x[won]
                d_x[won] += shares[at] * rows[own]


@kernel
def multiply_by_winners(messages, winner, d_inbox, out, tile, gradients, scratch):
    """The same as products, with the panels of W2': the gradient of all messages is zero but at the winners."""
    start, first, last = tile
    d_messages = scratch.third[: len(messages)]
    d_messages[:] = ZERO
    for j in range(first, last):
        for f in range(winner.shape[1]):
            d_messages[winner[j, f] - start, f] = d_inbox[j, f]
    multiply(d_messages, out, scratch.zeros, 0, scratch.unbounded, gradients[0])
    add_transposed_product(d_messages, messages, gradients[1])


@kernel
def collect(edges, d_first, start, end, gradients):
    """Add the gradient of the first layer's sums to those of senders, receivers and E."""
    hidden = np.uint64(d_first.shape[1])
    d_sender, d_receiver, d_edge = flat(gradients.sender), flat(gradients.receiver), flat(gradients.edge)
    x = flat(d_first)
    for e in range(start, end):
        source = row_start(e - start, hidden)
        add_row(x, source, d_sender, row_start(edges.sender[e], hidden), hidden)
        add_row(x, source, d_receiver, row_start(edges.receiver[e], hidden), hidden)
        for k in range(edges.raw.shape[1]):
            if edges.raw[e, k] != ZERO:
                add_multiple(edges.raw[e, k], x, source, d_edge, row_start(k, hidden), hidden)
