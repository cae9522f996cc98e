"""Message passing with a max, all steps of a graph at a time, forward and backward.

h'_j = LN(relu(own_j + max_i m_ij O)), m_ij = relu(relu(sender_i + receiver_j + raw_ij E) W1 + b1) W2, where sender,
receiver and own are h S + nodes. A graph's messages stay in the cache; under the max only the winning message of each
(receiver, feature) has a gradient, so that the way back through W2 and O is a few rows instead of a product over all
edges.
"""

from typing import NamedTuple

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.matrices import add_transposed_product, multiply
from narlab.kernels.messages import (
    FEW,
    TILE,
    collect,
    first_layer,
    graph_of,
    largest_messages,
    mask_by,
    multiply_by_winners,
    spread_to_winners,
    tile_end,
)
from narlab.kernels.numerics import ZERO, add_rows, copy_row, flat, kernel, normalise, normalise_backward, row_start


class Weights(NamedTuple):
    """Each map as rows times matrix; `nodes` holds all that does not come from the state, [G, N, 3H].

    Matrices that are multiplied with are in panels; see `matrices`.
    """

    nodes: np.ndarray
    state: np.ndarray  # S, [H, 3H]
    edge: np.ndarray  # E, [K, H]
    hidden: np.ndarray  # W1
    hidden_bias: np.ndarray
    out: np.ndarray  # W2
    inbox: np.ndarray  # O
    scale: np.ndarray
    offset: np.ndarray


class Trace(NamedTuple):
    """What the way back needs: every step's hidden messages, winners, inboxes and rectified sums."""

    parts: np.ndarray  # what nodes send, receive and keep, [T, B, N, 3H]
    hidden: np.ndarray  # [T, E, H]; [1, E, H] if each step has edges of its own
    winner: np.ndarray  # the winning edge within its graph, [T, B, N, H]
    inbox: np.ndarray  # [T, B, N, H]
    rectified: np.ndarray  # [T, B, N, H]


class Back(NamedTuple):
    """The maps of the way back, in panels."""

    state: np.ndarray  # S', [3H, H]
    hidden: np.ndarray  # W1'
    out: np.ndarray  # W2'
    inbox: np.ndarray  # O'
    out_rows: np.ndarray  # W2' as it is


class Gradients(NamedTuple):
    """Gradients of the weights, for one group of graphs; the last three are for a step's share."""

    nodes: np.ndarray  # of the whole batch, [G, N, 3H]
    state: np.ndarray
    edge: np.ndarray
    hidden: np.ndarray
    hidden_bias: np.ndarray
    out: np.ndarray  # as W2', [H, H]
    inbox: np.ndarray
    scale: np.ndarray
    offset: np.ndarray
    parts: np.ndarray  # [N, 3H]
    sender: np.ndarray  # [N, H]
    receiver: np.ndarray


class Scratch(NamedTuple):
    """Arrays to work in, for one graph."""

    first: np.ndarray  # [TILE, H] as the next two, or as many as one receiver has
    second: np.ndarray
    third: np.ndarray
    node: np.ndarray  # [N, H]
    zeros: np.ndarray  # [3H]
    unbounded: np.ndarray  # minus infinity, [3H]


@kernel
def scratch_for(edges, nodes, hidden):
    """Arrays for the largest graph."""
    largest = 0
    for b in range(len(edges.first) - 1):
        largest = max(largest, edges.first[b + 1] - edges.first[b])
    size = min(largest, max(TILE, nodes))
    return Scratch(
        np.empty((size, hidden), np.float32),
        np.empty((size, hidden), np.float32),
        np.empty((size, hidden), np.float32),
        np.empty((nodes, hidden), np.float32),
        np.zeros(3 * hidden, np.float32),
        np.full(3 * hidden, -np.inf, np.float32),
    )


@kernel
def step(edges, weights, trace, scratch, place, h, out):
    """One step of a graph from its state `h` to `out`; `place` says which graph, which state, and where what the way
    back needs is kept."""
    g, b, kept = place
    hidden = h.shape[1]
    zero, last = edges.first[g], edges.first[g + 1]
    inbox, winner, rectified = trace.inbox[kept, b], trace.winner[kept, b], trace.rectified[kept, b]
    keep = trace.hidden.shape[1] > 0
    all_messages = trace.hidden[min(kept, len(trace.hidden) - 1)]
    parts = trace.parts[kept, b]
    multiply(h, weights.state, flat(weights.nodes[g]), 3 * hidden, scratch.unbounded, parts)
    start = zero
    while start < last:
        end = tile_end(edges, start, last)
        count = end - start
        messages = all_messages[start:end] if keep else scratch.second[:count]
        first_layer(edges, weights, parts, start, end, scratch.first)
        multiply(scratch.first[:count], weights.hidden, weights.hidden_bias, 0, scratch.zeros, messages)
        multiply(messages, weights.out, scratch.zeros, 0, scratch.unbounded, scratch.third[:count])
        largest_messages(edges, scratch.third, start, end, zero, inbox, winner)
        start = end
    multiply(inbox, weights.inbox, flat(parts)[2 * hidden :], 3 * hidden, scratch.zeros, rectified)
    normalise(rectified, weights.scale, weights.offset, out)


@kernel
def joined_parts(gradients, d_own, g):
    """The gradient of what a step's nodes send, receive and keep, as one; added to that of `nodes`."""
    hidden = np.uint64(d_own.shape[1])
    parts, nodes = flat(gradients.parts), flat(gradients.nodes[g])
    sender, receiver, own = flat(gradients.sender), flat(gradients.receiver), flat(d_own)
    for i in range(len(d_own)):
        source, target = row_start(i, hidden), row_start(3 * i, hidden)
        copy_row(sender, source, parts, target, hidden)
        copy_row(receiver, source, parts, target + hidden, hidden)
        copy_row(own, source, parts, target + hidden + hidden, hidden)
    for place in range(np.uint64(parts.size)):
        nodes[place] += parts[place]


@kernel
def step_backward(edges, weights, back, trace, scratch, place, h, d_h, gradients):
    """Turn the gradient `d_h` of a step's result into that of its start `h`, and add to all others."""
    g, b, t = place
    zero, last = edges.first[g], edges.first[g + 1]
    rectified, all_messages = trace.rectified[t, b], trace.hidden[min(t, len(trace.hidden) - 1)]
    normalise_backward(rectified, weights.scale, d_h, gradients.scale, gradients.offset)
    mask_by(d_h, rectified)
    gradients.sender[:] = ZERO
    gradients.receiver[:] = ZERO
    add_transposed_product(trace.inbox[t, b], d_h, gradients.inbox)
    multiply(d_h, back.inbox, scratch.zeros, 0, scratch.unbounded, scratch.node)
    start = zero
    while start < last:
        end = tile_end(edges, start, last)
        count = end - start
        messages, d_hidden, first = all_messages[start:end], scratch.second[:count], scratch.first[:count]
        tile = (start - zero, edges.receiver[start], edges.receiver[end - 1] + 1)
        sums = (d_hidden, gradients.out)
        if count < FEW * (tile[2] - tile[1]):
            multiply_by_winners(messages, trace.winner[t, b], scratch.node, back.out, tile, sums, scratch)
        else:
            d_hidden[:] = ZERO
            spread_to_winners(messages, trace.winner[t, b], scratch.node, back.out_rows, tile, sums)
        mask_by(d_hidden, messages)
        add_rows(d_hidden, gradients.hidden_bias)
        first_layer(edges, weights, trace.parts[t, b], start, end, first)
        add_transposed_product(first, d_hidden, gradients.hidden)
        multiply(d_hidden, back.hidden, scratch.zeros, 0, scratch.unbounded, scratch.third[:count])
        mask_by(scratch.third[:count], first)
        collect(edges, scratch.third, start, end, gradients)
        start = end
    joined_parts(gradients, d_h, g)
    add_transposed_product(h, gradients.parts, gradients.state)
    multiply(gradients.parts, back.state, scratch.zeros, 0, scratch.unbounded, d_h)


@compiled
def forward(edges, weights, trace, states, steps, group):
    """All steps of the states from group[0] to group[1]; `states` [T + 1, B, N, H], or the last two [2, B, N, H]."""
    scratch = scratch_for(edges, states.shape[2], states.shape[3])
    for b in range(group[0], group[1]):
        for t in range(steps):
            before, after = states[t % len(states), b], states[(t + 1) % len(states), b]
            place = (graph_of(edges, b, t, states.shape[1]), b, t % len(trace.parts))
            step(edges, weights, trace, scratch, place, before, after)


@compiled
def backward(edges, weights, back, trace, states, d_last, gradients, group):
    """The way back; `d_last` has the gradients of some of the last states [K, B, N, H]; the last is left with the
    first state's."""
    scratch = scratch_for(edges, states.shape[2], states.shape[3])
    steps = len(states) - 1
    for b in range(group[0], group[1]):
        d_h = d_last[-1, b]
        for t in range(steps - 1, -1, -1):
            place = (graph_of(edges, b, t, states.shape[1]), b, t)
            step_backward(edges, weights, back, trace, scratch, place, states[t, b], d_h, gradients)
            if t + len(d_last) > steps:
                d_h += d_last[t + len(d_last) - steps - 1, b]
