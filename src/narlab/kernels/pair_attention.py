"""Attention among the edges of a graph (2WL), one step of one graph, forward and backward.

x = tokens + e P, then x += heard V, x += gelu(LN x D1) D2, where a token hears the tokens that share a node with it:
those in the lines of its two nodes. Keys are folded into queries and values into the output map: with y = LN x, the
logits of a token against its line are (y M + c) y', and what it hears is a weighted sum of y, once per head.
"""

from typing import NamedTuple

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.line_attention import attend, attend_backward, scratch_for
from narlab.kernels.matrices import add_transposed_product, multiply
from narlab.kernels.numerics import (
    ZERO,
    add_rows,
    flat,
    gelu,
    gelu_slope,
    kernel,
    normalise,
    normalise_backward,
)


class Weights(NamedTuple):
    """Each map as rows times matrix, in panels (see `matrices`); `tokens` holds all that does not change between steps,
    [E, H]."""

    tokens: np.ndarray
    edge: np.ndarray  # P, [H, H]
    scale_1: np.ndarray
    offset_1: np.ndarray
    query: np.ndarray  # M, [H, heads H]
    query_bias: np.ndarray  # c
    value: np.ndarray  # V, [heads H, H]
    value_bias: np.ndarray
    scale_2: np.ndarray
    offset_2: np.ndarray
    mlp_in: np.ndarray  # D1
    mlp_in_bias: np.ndarray
    mlp_out: np.ndarray  # D2
    mlp_out_bias: np.ndarray


class Back(NamedTuple):
    """The maps of the way back, in panels."""

    edge: np.ndarray
    query: np.ndarray
    value: np.ndarray
    mlp_in: np.ndarray
    mlp_out: np.ndarray


class Trace(NamedTuple):
    """What the way back needs of every step."""

    x: np.ndarray  # what comes in, [T, E, H]
    attention: np.ndarray  # weights of all lines, [T, B, largest]
    heard: np.ndarray  # [T, E, heads H]
    middle: np.ndarray  # after the attention, [T, E, H]
    inner: np.ndarray  # inside the MLP, before gelu, [T, E, H]


@kernel
def step(lines, weights, trace, scratch, place, e, out):
    """One step of graph place[0] from its edge state `e` to `out`; what the way back needs is kept at place[1]."""
    b, kept = place
    zero, last = lines.first[b], lines.first[b + 1]
    count = last - zero
    at = zero if trace.x.shape[1] == len(lines.node) else 0  # a trace that keeps nothing is of one graph
    x, heard = trace.x[kept, at : at + count], trace.heard[kept, at : at + count]
    middle, inner = trace.middle[kept, at : at + count], trace.inner[kept, at : at + count]
    normal, query = scratch.normal[:count], scratch.query[:count]
    hidden, unbounded = x.shape[1], scratch.unbounded
    multiply(e, weights.edge, flat(weights.tokens)[zero * hidden :], hidden, unbounded, x)
    normalise(x, weights.scale_1, weights.offset_1, normal)
    multiply(normal, weights.query, weights.query_bias, 0, unbounded, query)
    attend(lines, b, trace.attention[kept, b if trace.attention.shape[1] > 1 else 0], heard, scratch)
    multiply(heard, weights.value, flat(x), hidden, unbounded, middle)
    add_bias(middle, weights.value_bias)
    normalise(middle, weights.scale_2, weights.offset_2, normal)
    multiply(normal, weights.mlp_in, weights.mlp_in_bias, 0, unbounded, inner)
    for k in range(count):
        for f in range(hidden):
            normal[k, f] = gelu(inner[k, f])
    multiply(normal, weights.mlp_out, flat(middle), hidden, unbounded, out)
    add_bias(out, weights.mlp_out_bias)


@kernel
def add_bias(x, bias):
    for k in range(x.shape[0]):
        for f in range(x.shape[1]):
            x[k, f] += bias[f]


class Gradients(NamedTuple):
    """Gradients of the weights, for one group of graphs."""

    tokens: np.ndarray  # of the whole batch, [E, H]
    edge: np.ndarray
    scale_1: np.ndarray
    offset_1: np.ndarray
    query: np.ndarray
    query_bias: np.ndarray
    value: np.ndarray
    value_bias: np.ndarray
    scale_2: np.ndarray
    offset_2: np.ndarray
    mlp_in: np.ndarray
    mlp_in_bias: np.ndarray
    mlp_out: np.ndarray
    mlp_out_bias: np.ndarray


@kernel
def add(x, total):
    for k in range(x.shape[0]):
        for f in range(x.shape[1]):
            total[k, f] += x[k, f]


@kernel
def mlp_backward(weights, back, trace, scratch, place, d_x, gradients):
    """Through x += gelu(LN x D1) D2: `d_x` becomes the gradient of what came in."""
    kept, zero, last = place
    count = last - zero
    middle, inner = trace.middle[kept, zero:last], trace.inner[kept, zero:last]
    normal, d_normal, out = scratch.normal[:count], scratch.d_normal[:count], scratch.out[:count]
    for k in range(count):
        for f in range(d_x.shape[1]):
            out[k, f] = gelu(inner[k, f])
    add_transposed_product(out, d_x, gradients.mlp_out)
    add_rows(d_x, gradients.mlp_out_bias)
    multiply(d_x, back.mlp_out, scratch.zeros, 0, scratch.unbounded, out)
    for k in range(count):
        for f in range(d_x.shape[1]):
            out[k, f] *= gelu_slope(inner[k, f])
    normalise(middle, weights.scale_2, weights.offset_2, normal)
    add_transposed_product(normal, out, gradients.mlp_in)
    add_rows(out, gradients.mlp_in_bias)
    multiply(out, back.mlp_in, scratch.zeros, 0, scratch.unbounded, d_normal)
    normalise_backward(middle, weights.scale_2, d_normal, gradients.scale_2, gradients.offset_2)
    add(d_normal, d_x)


@kernel
def step_backward(lines, weights, back, trace, scratch, place, e, d_e, gradients):
    """Turn the gradient `d_e` of a step's result into that of its start `e`, and add to all others."""
    b, kept = place
    zero, last = lines.first[b], lines.first[b + 1]
    count = last - zero
    x, heard = trace.x[kept, zero:last], trace.heard[kept, zero:last]
    normal, query = scratch.normal[:count], scratch.query[:count]
    d_normal, d_query, d_heard = scratch.d_normal[:count], scratch.d_query[:count], scratch.d_heard[:count]
    unbounded = scratch.unbounded
    mlp_backward(weights, back, trace, scratch, (kept, zero, last), d_e, gradients)
    add_transposed_product(heard, d_e, gradients.value)
    add_rows(d_e, gradients.value_bias)
    multiply(d_e, back.value, scratch.zeros, 0, unbounded, d_heard)
    normalise(x, weights.scale_1, weights.offset_1, normal)
    multiply(normal, weights.query, weights.query_bias, 0, unbounded, query)
    d_normal[:] = ZERO
    d_query[:] = ZERO
    attend_backward(lines, b, trace.attention[kept, b], scratch)
    add_transposed_product(normal, d_query, gradients.query)
    add_rows(d_query, gradients.query_bias)
    multiply(d_query, back.query, flat(d_normal), d_normal.shape[1], unbounded, d_normal)
    normalise_backward(x, weights.scale_1, d_normal, gradients.scale_1, gradients.offset_1)
    add(d_normal, d_e)
    add(d_e, gradients.tokens[zero:last])
    add_transposed_product(e, d_e, gradients.edge)
    multiply(d_e, back.edge, scratch.zeros, 0, unbounded, d_normal)
    d_e[:] = d_normal


@compiled
def forward(lines, weights, trace, states, steps, group):
    """All steps of the graphs from group[0] to group[1]; `states` [T + 1, E, H], or the last two [2, E, H]."""
    scratch = scratch_for(lines, states.shape[2])
    keeps = len(states) == steps + 1
    for b in range(group[0], group[1]):
        zero, last = lines.first[b], lines.first[b + 1]
        for t in range(steps):
            before, after, kept = (t, t + 1, t) if keeps else (t % 2, (t + 1) % 2, 0)
            step(lines, weights, trace, scratch, (b, kept), states[before, zero:last], states[after, zero:last])


@compiled
def backward(lines, weights, back, trace, states, d_last, gradients, group):
    """The way back; `d_last` has the gradients of the last two states [2, E, H]; 1 is left with the first's."""
    scratch = scratch_for(lines, states.shape[2])
    steps = len(states) - 1
    for b in range(group[0], group[1]):
        zero, last = lines.first[b], lines.first[b + 1]
        d_e = d_last[1, zero:last]
        for t in range(steps - 1, -1, -1):
            step_backward(lines, weights, back, trace, scratch, (b, t), states[t, zero:last], d_e, gradients)
            if t == steps - 1:
                add(d_last[0, zero:last], d_e)
