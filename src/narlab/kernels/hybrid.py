"""A hybrid of message passing and attention among edges, all steps of a graph at a time, forward and backward.

h' = g h1 + (1 - g) h2 and e'_ij = g_i e_ij + (1 - g_i) x_ij, where message passing makes h1 of h, attention makes x of
e, and h2_i is x_ii. The gate is g_i = sigmoid(w h_i + b) of the state before; with w and b zero it is one half.
"""

from typing import NamedTuple

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels import message_passing, pair_attention
from narlab.kernels.numerics import ONE, ZERO, flat, kernel, row_start, sigmoid

step_of_messages, step_of_pairs = message_passing.step, pair_attention.step
back_of_messages, back_of_pairs = message_passing.step_backward, pair_attention.step_backward
scratch_of_messages, scratch_of_pairs = message_passing.scratch_for, pair_attention.scratch_for


class Gate(NamedTuple):
    """The gate's map, or the gradient of it."""

    weight: np.ndarray  # w, [H]
    bias: np.ndarray  # b, [1]


class Trace(NamedTuple):
    """What both parts keep of every step, and what they came to."""

    messages: message_passing.Trace
    pairs: pair_attention.Trace
    h: np.ndarray  # of the first part, [T, B, N, H]
    x: np.ndarray  # of the second part, [T, E, H]


@kernel
def share_of(gate, h, i):
    total = gate.bias[0]
    for f in range(h.shape[1]):
        total += gate.weight[f] * h[i, f]
    return sigmoid(total)


@kernel
def open_gates(gate, h, shares):
    """`shares` [2, N] gets the gates of nodes whose state is `h`, and zeros for their gradients."""
    for i in range(h.shape[0]):
        shares[0, i], shares[1, i] = share_of(gate, h, i), ZERO


@kernel
def mix_row(share, places, arrays, width):
    """out = share of x, the rest of y; `places` are where the rows of x, y and out begin."""
    x, y, out = arrays
    source, other, target = places
    for f in range(np.uint64(width)):
        out[target + f] = share * x[source + f] + (ONE - share) * y[other + f]


@kernel
def mix(lines, b, shares, first, second, after):
    """The next (h, e) of graph `b` from the first part's (h, e) and the second's x, whose h_i is x_ii."""
    h1, e1, x = flat(first[0]), flat(first[1]), flat(second)
    h_out, e_out = flat(after[0]), flat(after[1])
    hidden, zero = np.uint64(second.shape[1]), lines.first[b]
    for k in range(second.shape[0]):
        i, place = lines.node[zero + k, 0], row_start(k, hidden)
        share = shares[0, i]
        mix_row(share, (place, place, place), (e1, x, e_out), hidden)
        if i == lines.node[zero + k, 1]:
            own = row_start(i, hidden)
            mix_row(share, (own, place, own), (h1, x, h_out), hidden)


@kernel
def along(x, source, y, other, d, target, width):
    """The product of x - y with d, of one row each."""
    total = ZERO
    for f in range(np.uint64(width)):
        total += (x[source + f] - y[other + f]) * d[target + f]
    return total


@kernel
def split(lines, b, first, second, d_after, d_parts, shares):
    """Divide the gradients of h' and e' between the first part's h and the second's x; that of e' becomes that of the
    first part's e. `shares` [2, N] has the gates, and gets their gradients."""
    h1, e1, x = flat(first[0]), flat(first[1]), flat(second)
    d_h, d_e, d_h1, d_x = flat(d_after[0]), flat(d_after[1]), flat(d_parts[0]), flat(d_parts[1])
    hidden, zero = np.uint64(second.shape[1]), lines.first[b]
    for k in range(second.shape[0]):
        i, place = lines.node[zero + k, 0], row_start(k, hidden)
        share = shares[0, i]
        shares[1, i] += along(e1, place, x, place, d_e, place, hidden)
        for f in range(hidden):
            d_x[place + f] = (ONE - share) * d_e[place + f]
            d_e[place + f] *= share
        if i == lines.node[zero + k, 1]:
            own = row_start(i, hidden)
            shares[1, i] += along(h1, own, x, place, d_h, own, hidden)
            for f in range(hidden):
                d_h1[own + f] = share * d_h[own + f]
                d_x[place + f] += (ONE - share) * d_h[own + f]


@kernel
def gate_backward(gate, h, shares, d_h, d_gate):
    """Through the gate to the state before and to the gate's own map; `d_h` is set."""
    for i in range(h.shape[0]):
        d_logit = shares[1, i] * shares[0, i] * (ONE - shares[0, i])
        d_gate.bias[0] += d_logit
        for f in range(h.shape[1]):
            d_h[i, f] = d_logit * gate.weight[f]
            d_gate.weight[f] += d_logit * h[i, f]


@compiled
def forward(graphs, weights, trace, states, steps, group):
    """All steps of some graphs. `graphs` is (edges, lines), `weights` those of both parts and the gate; `states` are h
    [T + 1, B, N, H] and e [T + 1, E, H], or the last two of each."""
    edges, lines = graphs
    of_messages, of_pairs, gate = weights
    h, e = states
    scratches = scratch_of_messages(edges, h.shape[2], h.shape[3]), scratch_of_pairs(lines, h.shape[3])
    shares = np.empty((2, h.shape[2]), np.float32)
    keeps = len(h) == steps + 1
    for b in range(group[0], group[1]):
        zero, last = lines.first[b], lines.first[b + 1]
        at = zero if trace.x.shape[1] == e.shape[1] else 0
        for t in range(steps):
            before, after, kept = (t, t + 1, t) if keeps else (t % 2, (t + 1) % 2, 0)
            first = trace.h[kept, b if trace.h.shape[1] > 1 else 0]
            second = trace.x[kept, at : at + last - zero]
            old, new = (h[before, b], e[before, zero:last]), (h[after, b], e[after, zero:last])
            step_of_messages(edges, of_messages, trace.messages, scratches[0], (b, b, kept), old[0], first)
            step_of_pairs(lines, of_pairs, trace.pairs, scratches[1], (b, kept), old[1], second)
            open_gates(gate, old[0], shares)
            mix(lines, b, shares, (first, old[1]), second, new)


@compiled
def backward(graphs, weights, backs, trace, states, d_last, gradients, group):
    """The way back; `d_last` has the gradients of the last two h and e, and is left with the first's in 1."""
    edges, lines = graphs
    of_messages, of_pairs, gate = weights
    h, e = states
    hidden = h.shape[3]
    scratches = scratch_of_messages(edges, h.shape[2], hidden), scratch_of_pairs(lines, hidden)
    d_first, d_second = np.empty_like(h[0, 0]), np.empty((np.diff(lines.first).max(), hidden), np.float32)
    d_by_gate, shares = np.empty_like(h[0, 0]), np.empty((2, h.shape[2]), np.float32)
    steps = len(h) - 1
    for b in range(group[0], group[1]):
        zero, last = lines.first[b], lines.first[b + 1]
        d_h, d_e, d_x = d_last[0][1, b], d_last[1][1, zero:last], d_second[: last - zero]
        for t in range(steps - 1, -1, -1):
            old = h[t, b], e[t, zero:last]
            open_gates(gate, old[0], shares)
            split(lines, b, (trace.h[t, b], old[1]), trace.x[t, zero:last], (d_h, d_e), (d_first, d_x), shares)
            gate_backward(gate, old[0], shares, d_by_gate, gradients[2])
            back_of_messages(
                edges, of_messages, backs[0], trace.messages, scratches[0], (b, b, t), old[0], d_first, gradients[0]
            )
            back_of_pairs(lines, of_pairs, backs[1], trace.pairs, scratches[1], (b, t), old[1], d_x, gradients[1])
            add_all(d_first, d_by_gate, d_h)
            d_e += d_x
            if t == steps - 1:
                d_h += d_last[0][0, b]
                d_e += d_last[1][0, zero:last]


@kernel
def add_all(x, y, out):
    for i in range(x.shape[0]):
        for f in range(x.shape[1]):
            out[i, f] = x[i, f] + y[i, f]
