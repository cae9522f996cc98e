"""Attention with one head along edges (GAT), all steps of a graph at a time, forward and backward.

h'_j = LN(relu(own_j + sum_i a_ij value_i)), a_ij = softmax over i of leaky_relu(sender_i + receiver_j + raw_ij E).
Value, own, sender and receiver are h S + nodes; the last two are one number for each node.
"""

from typing import NamedTuple

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.messages import graph_of, mask_by
from narlab.kernels.numerics import (
    ONE,
    ZERO,
    add_multiple,
    add_product,
    exponential,
    flat,
    kernel,
    normalise,
    normalise_backward,
    part,
    row_start,
)

SLOPE = np.float32(0.01)  # of the leaky rectifier below zero


class Weights(NamedTuple):
    """Each map as rows times matrix; `nodes` holds all that does not come from the state, [G, N, 2H + 2]."""

    nodes: np.ndarray
    state: np.ndarray  # S, [H, 2H + 2]: of values, own parts, senders and receivers
    edge: np.ndarray  # E, [K]
    scale: np.ndarray
    offset: np.ndarray


class Trace(NamedTuple):
    """What the way back needs of every step."""

    parts: np.ndarray  # h S + nodes, [T, B, N, 2H + 2]
    attention: np.ndarray  # [T, E]; [1, E] if each step has edges of its own
    rectified: np.ndarray  # [T, B, N, H]


class Gradients(NamedTuple):
    """Gradients of the weights, for one group of graphs; the last is for a step's share."""

    nodes: np.ndarray  # of the whole batch, [G, N, 2H + 2]
    state: np.ndarray
    edge: np.ndarray
    scale: np.ndarray
    offset: np.ndarray
    parts: np.ndarray  # [N, 2H + 2]


@part
def logit_of(edges, weights, parts, e):
    """The logit of an edge before the rectifier."""
    width = parts.shape[1]
    total = parts[edges.sender[e], width - 2] + parts[edges.receiver[e], width - 1]
    for k in range(len(weights.edge)):
        total += edges.raw[e, k] * weights.edge[k]
    return total


@part
def receiver_end(edges, start, last):
    """The end of the edges that have the receiver of edge `start`."""
    end = start + 1
    while end < last and edges.receiver[end] == edges.receiver[start]:
        end += 1
    return end


@kernel
def attend(edges, weights, parts, start, end, attention):
    """The softmax of the logits of one receiver's edges, from `start` to `end`."""
    largest = np.float32(-np.inf)
    for e in range(start, end):
        logit = logit_of(edges, weights, parts, e)
        logit = SLOPE * logit if logit < ZERO else logit
        attention[e] = logit
        largest = logit if not (logit <= largest) else largest
    total = ZERO
    for e in range(start, end):
        attention[e] = exponential(attention[e] - largest)
        total += attention[e]
    for e in range(start, end):
        attention[e] *= ONE / total


@kernel
def step(edges, weights, trace, place, h, out):
    """One step of a graph from its state `h` to `out`; `place` says which graph, which state, and where what the way
    back needs is kept."""
    g, b, kept = place
    hidden, width = np.uint64(h.shape[1]), weights.state.shape[1]
    parts, attention = trace.parts[kept, b], trace.attention[min(kept, len(trace.attention) - 1)]
    np.dot(h, weights.state, parts)
    for i in range(parts.shape[0]):
        for f in range(width):
            parts[i, f] += weights.nodes[g, i, f]
    rectified = trace.rectified[kept, b]
    x, heard = flat(parts), flat(rectified)
    start = edges.first[g]
    while start < edges.first[g + 1]:
        end = receiver_end(edges, start, edges.first[g + 1])
        attend(edges, weights, parts, start, end, attention)
        j = edges.receiver[start]
        target, own = row_start(j, hidden), row_start(j, width) + hidden
        for f in range(hidden):
            heard[target + f] = x[own + f]
        for e in range(start, end):
            add_multiple(attention[e], x, row_start(edges.sender[e], width), heard, target, hidden)
        for f in range(hidden):
            heard[target + f] = ZERO if heard[target + f] < ZERO else heard[target + f]
        start = end
    normalise(rectified, weights.scale, weights.offset, out)


@kernel
def attend_backward(edges, weights, bounds, arrays, d_j, gradients):
    """Add what one receiver's edges, between `bounds`, bring to the gradients of parts and E from that of its sum,
    which begins at `d_j` of the last of the `arrays`: parts, attention, logits and it."""
    start, end = bounds
    parts, attention, d_logits, d_heard = arrays
    hidden, width = np.uint64(gradients.scale.shape[0]), parts.shape[1]
    x, d_parts = flat(parts), flat(gradients.parts)
    along = ZERO
    for e in range(start, end):
        value, product = row_start(edges.sender[e], width), ZERO
        for f in range(hidden):
            product += d_heard[d_j + f] * x[value + f]
        add_multiple(attention[e], d_heard, d_j, d_parts, value, hidden)
        d_logits[e - start] = product
        along += attention[e] * product
    for e in range(start, end):
        d_logit = attention[e] * (d_logits[e - start] - along)
        d_logit = SLOPE * d_logit if logit_of(edges, weights, parts, e) < ZERO else d_logit
        gradients.parts[edges.sender[e], width - 2] += d_logit
        gradients.parts[edges.receiver[e], width - 1] += d_logit
        for k in range(len(weights.edge)):
            gradients.edge[k] += d_logit * edges.raw[e, k]


@kernel
def step_backward(edges, weights, back, trace, scratch, place, h, d_h, gradients):
    """Turn the gradient `d_h` of a step's result into that of its start `h`, and add to all others."""
    g, b, t = place
    hidden, width = h.shape[1], weights.state.shape[1]
    rectified, attention = trace.rectified[t, b], trace.attention[min(t, len(trace.attention) - 1)]
    normalise_backward(rectified, weights.scale, d_h, gradients.scale, gradients.offset)
    mask_by(d_h, rectified)
    for i in range(h.shape[0]):
        for f in range(hidden):
            gradients.parts[i, f] = ZERO
            gradients.parts[i, hidden + f] = d_h[i, f]
        gradients.parts[i, width - 2] = gradients.parts[i, width - 1] = ZERO
    arrays = (trace.parts[t, b], attention, scratch[0], flat(d_h))
    start = edges.first[g]
    while start < edges.first[g + 1]:
        end = receiver_end(edges, start, edges.first[g + 1])
        d_j = row_start(edges.receiver[start], hidden)
        attend_backward(edges, weights, (start, end), arrays, d_j, gradients)
        start = end
    for i in range(h.shape[0]):
        for f in range(width):
            gradients.nodes[g, i, f] += gradients.parts[i, f]
    add_product(h, gradients.parts, gradients.state, scratch[1])
    np.dot(gradients.parts, back, d_h)


@compiled
def forward(edges, weights, trace, states, steps, group):
    """All steps of the states from group[0] to group[1]; `states` [T + 1, B, N, H], or the last two [2, B, N, H]."""
    for b in range(group[0], group[1]):
        for t in range(steps):
            before, after = states[t % len(states), b], states[(t + 1) % len(states), b]
            place = (graph_of(edges, b, t, states.shape[1]), b, t % len(trace.parts))
            step(edges, weights, trace, place, before, after)


@compiled
def backward(edges, weights, back, trace, states, d_last, gradients, group):
    """The way back; `d_last` has the gradients of some of the last states [K, B, N, H]; the last is left with the
    first state's. `back` is S'."""
    scratch = (np.empty(states.shape[2], np.float32), np.empty(weights.state.shape, np.float32))
    steps = len(states) - 1
    for b in range(group[0], group[1]):
        d_h = d_last[-1, b]
        for t in range(steps - 1, -1, -1):
            place = (graph_of(edges, b, t, states.shape[1]), b, t)
            step_backward(edges, weights, back, trace, scratch, place, states[t, b], d_h, gradients)
            if t + len(d_last) > steps:
                d_h += d_last[t + len(d_last) - steps - 1, b]
