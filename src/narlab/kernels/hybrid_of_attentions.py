"""A hybrid of two attentions among edges, all steps of a graph at a time, forward and backward.

e'_ij = g_i x1_ij + (1 - g_i) x2_ij and h'_i = e'_ii, where each of them makes x1 and x2 of e among the same tokens, and
g_i = sigmoid(w h_i + b) of the state before; with w and b zero it is one half.
"""

from typing import NamedTuple

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels import pair_attention
from narlab.kernels.hybrid import add_all, gate_backward, mix, open_gates, split
from narlab.kernels.numerics import add_row, copy_row, flat, kernel, row_start
from narlab.kernels.pair_attention import scratch_for, step, step_backward


class Trace(NamedTuple):
    """What both parts keep of every step, and what they came to, [T, E, H] each."""

    first: pair_attention.Trace
    second: pair_attention.Trace
    x1: np.ndarray
    x2: np.ndarray


@kernel
def copy_loops(lines, b, x, h):
    """h_i = x_ii, for the tokens `x` of graph `b`."""
    source, target, hidden, zero = flat(x), flat(h), h.shape[1], lines.first[b]
    for k in range(x.shape[0]):
        i, j = lines.node[zero + k]
        if i == j:
            copy_row(source, row_start(k, hidden), target, row_start(i, hidden), hidden)


@kernel
def add_to_loops(lines, b, d_h, d_x):
    """The way back of `copy_loops`."""
    source, target, hidden, zero = flat(d_h), flat(d_x), d_h.shape[1], lines.first[b]
    for k in range(d_x.shape[0]):
        i, j = lines.node[zero + k]
        if i == j:
            add_row(source, row_start(i, hidden), target, row_start(k, hidden), hidden)


@compiled
def forward(lines, weights, trace, states, steps, group):
    """All steps of some graphs. `weights` are those of both parts and the gate; `states` are h [T + 1, B, N, H] and e
    [T + 1, E, H], or the last two of each."""
    first, second, gate = weights
    h, e = states
    scratch, h1 = scratch_for(lines, h.shape[3]), np.empty_like(h[0, 0])
    shares = np.empty((2, h.shape[2]), np.float32)
    keeps = len(h) == steps + 1
    for b in range(group[0], group[1]):
        zero, last = lines.first[b], lines.first[b + 1]
        at = zero if trace.x1.shape[1] == e.shape[1] else 0
        for t in range(steps):
            before, after, kept = (t, t + 1, t) if keeps else (t % 2, (t + 1) % 2, 0)
            x1, x2 = trace.x1[kept, at : at + last - zero], trace.x2[kept, at : at + last - zero]
            step(lines, first, trace.first, scratch, (b, kept), e[before, zero:last], x1)
            step(lines, second, trace.second, scratch, (b, kept), e[before, zero:last], x2)
            open_gates(gate, h[before, b], shares)
            copy_loops(lines, b, x1, h1)
            mix(lines, b, shares, (h1, x1), x2, (h[after, b], e[after, zero:last]))


@compiled
def backward(lines, weights, backs, trace, states, d_last, gradients, group):
    """The way back; `d_last` has the gradients of the last two h and e, and is left with the first's in 1."""
    first, second, gate = weights
    h, e = states
    scratch, h1, d_h1 = scratch_for(lines, h.shape[3]), np.empty_like(h[0, 0]), np.empty_like(h[0, 0])
    d_second = np.empty((np.diff(lines.first).max(), h.shape[3]), np.float32)
    shares, steps = np.empty((2, h.shape[2]), np.float32), len(h) - 1
    for b in range(group[0], group[1]):
        zero, last = lines.first[b], lines.first[b + 1]
        d_h, d_e, d_x2 = d_last[0][1, b], d_last[1][1, zero:last], d_second[: last - zero]
        for t in range(steps - 1, -1, -1):
            old, x1, x2 = e[t, zero:last], trace.x1[t, zero:last], trace.x2[t, zero:last]
            open_gates(gate, h[t, b], shares)
            copy_loops(lines, b, x1, h1)
            split(lines, b, (h1, x1), x2, (d_h, d_e), (d_h1, d_x2), shares)  # `d_e` is that of x1 now
            add_to_loops(lines, b, d_h1, d_e)
            gate_backward(gate, h[t, b], shares, d_h, gradients[2])
            step_backward(lines, first, backs[0], trace.first, scratch, (b, t), old, d_e, gradients[0])
            step_backward(lines, second, backs[1], trace.second, scratch, (b, t), old, d_x2, gradients[1])
            add_all(d_x2, d_e, d_e)
            if t == steps - 1:
                add_all(d_last[0][0, b], d_h, d_h)
                add_all(d_last[1][0, zero:last], d_e, d_e)
