"""A hybrid of two message passings, all steps of a graph at a time, forward and backward.

h' = g h1 + (1 - g) h2, where each of them makes h1 and h2 of h along edges of its own, and g_i = sigmoid(w h_i + b);
with w and b zero it is one half.
"""

from typing import NamedTuple

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels import message_passing
from narlab.kernels.hybrid import gate_backward, open_gates, share_of
from narlab.kernels.message_passing import scratch_for, step, step_backward
from narlab.kernels.messages import graph_of
from narlab.kernels.numerics import ONE, ZERO, kernel


class Trace(NamedTuple):
    """What both parts keep of every step, and what they came to, [T, B, N, H] each."""

    first: message_passing.Trace
    second: message_passing.Trace
    h1: np.ndarray
    h2: np.ndarray


@kernel
def split(h1, h2, d_h, d_parts, shares):
    """Divide the gradient of h' between the parts; `shares` [2, N] has the gates, and gets their gradients."""
    d_first, d_second = d_parts
    for i in range(d_h.shape[0]):
        share, along = shares[0, i], ZERO
        for f in range(d_h.shape[1]):
            along += (h1[i, f] - h2[i, f]) * d_h[i, f]
            d_first[i, f] = share * d_h[i, f]
            d_second[i, f] = (ONE - share) * d_h[i, f]
        shares[1, i] = along


@compiled
def forward(edges, weights, trace, states, steps, group):
    """All steps of the states from group[0] to group[1]. `edges` are those of both parts, `weights` also the gate's;
    `states` [T + 1, B, N, H], or the last two [2, B, N, H]."""
    first, second, gate = weights
    count, nodes, hidden = states.shape[1:]
    scratches = scratch_for(edges[0], nodes, hidden), scratch_for(edges[1], nodes, hidden)
    for b in range(group[0], group[1]):
        for t in range(steps):
            h, out, kept = states[t % len(states), b], states[(t + 1) % len(states), b], t % len(trace.h1)
            h1, h2 = trace.h1[kept, b], trace.h2[kept, b]
            places = (graph_of(edges[0], b, t, count), b, kept), (graph_of(edges[1], b, t, count), b, kept)
            step(edges[0], first, trace.first, scratches[0], places[0], h, h1)
            step(edges[1], second, trace.second, scratches[1], places[1], h, h2)
            for i in range(nodes):
                share = share_of(gate, h, i)
                for f in range(hidden):
                    out[i, f] = share * h1[i, f] + (ONE - share) * h2[i, f]


@compiled
def backward(edges, weights, backs, trace, states, d_last, gradients, group):
    """The way back; `d_last` has the gradients of some of the last states [K, B, N, H]; the last is left with the
    first state's."""
    first, second, gate = weights
    count, nodes, hidden = states.shape[1:]
    scratches = scratch_for(edges[0], nodes, hidden), scratch_for(edges[1], nodes, hidden)
    d_first, d_second, d_gate = np.empty_like(states[0, 0]), np.empty_like(states[0, 0]), np.empty_like(states[0, 0])
    shares, steps = np.empty((2, nodes), np.float32), len(states) - 1
    for b in range(group[0], group[1]):
        d_h = d_last[-1, b]
        for t in range(steps - 1, -1, -1):
            h, places = states[t, b], ((graph_of(edges[0], b, t, count), b, t), (graph_of(edges[1], b, t, count), b, t))
            open_gates(gate, h, shares)
            split(trace.h1[t, b], trace.h2[t, b], d_h, (d_first, d_second), shares)
            gate_backward(gate, h, shares, d_gate, gradients[2])
            step_backward(edges[0], first, backs[0], trace.first, scratches[0], places[0], h, d_first, gradients[0])
            step_backward(edges[1], second, backs[1], trace.second, scratches[1], places[1], h, d_second, gradients[1])
            for i in range(nodes):
                for f in range(hidden):
                    d_h[i, f] = d_first[i, f] + d_second[i, f] + d_gate[i, f]
            if t + len(d_last) > steps:
                d_h += d_last[t + len(d_last) - steps - 1, b]
