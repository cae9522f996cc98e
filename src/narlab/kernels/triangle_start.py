"""What the triangle processor makes of its inputs before the first step, a graph at a time, and the way back.

With what the probes say of a pair, a_ij, see `triangle_inputs`:
    v0 = a A + b, in the first half of its channels made costs, -relu(v0); v is its closure, see `closure`
    a'_ij = [a_ij, s v0_ij, s' v_ij, s'' 1[v_ij > v0_ij]]
    x_ij = LN(relu(a'_ij H + b') F + b'')            z_ij = a'_ij Z + b*
Pairs are rows. Channels of v are in whole lanes, 2P; those that are left over are zero.
"""

from typing import NamedTuple

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.closure import close_once, close_once_backward, room_for_closure
from narlab.kernels.lane_rows import add_lanes, copy_lanes, normalise_row, normalise_row_backward
from narlab.kernels.lanes import STEP, fill, larger, load, multiply_add, pick, store
from narlab.kernels.matrices import ROWS, add_transposed_product, multiply, panels_of
from narlab.kernels.numerics import ONE, ZERO, aligned, flat, inner, lean, row_start
from narlab.kernels.triangle_inputs import pair_inputs, pair_inputs_backward

TILE = 66 // ROWS * ROWS  # pairs that go through the maps together, in whole tiles of their products
GAIN = np.float32(1e-5)  # what a value must gain to count as changed
COST_SLOPE = np.float32(0.1)  # the share of the gradient that comes back to a cost of 0
_0 = np.uint64(0)


class Weights(NamedTuple):
    """Each map as rows times matrix, and its bias; Z is the width of z."""

    values: np.ndarray  # A, [D, 2P]
    values_bias: np.ndarray
    scale: np.ndarray  # s, [6P]
    hidden: np.ndarray  # H, [D + 6P, 2D]
    hidden_bias: np.ndarray
    first: np.ndarray  # F, [2D, D]
    first_bias: np.ndarray
    inputs: np.ndarray  # [D + 6P, Z]
    inputs_bias: np.ndarray


class Trace(NamedTuple):
    """What the way back needs; without one there is room for one tile of one graph, but all values."""

    values: np.ndarray  # v of all rounds, [R + 1, B, N N, 2P]
    winner: np.ndarray  # [R, B, N N, 2P], or no pairs
    features: np.ndarray  # a', [B, N N, D + 6P]
    hidden: np.ndarray  # [B, N N, 2D]
    inverse: np.ndarray  # deviations of what is normalised, [B, N N]


class Outs(NamedTuple):
    """What is made of all graphs."""

    first: np.ndarray  # x, [B, N N, D]
    inputs: np.ndarray  # z, [B, N N, Z]
    closure: np.ndarray  # the last 6P of a', [B, N N, 6P]


class Maps(NamedTuple):
    """The maps in panels, or their transposes."""

    values: np.ndarray
    hidden: np.ndarray
    first: np.ndarray
    inputs: np.ndarray


class Room(NamedTuple):
    """Room to work in; E pairs are a tile."""

    d_inputs: np.ndarray  # of a, [N N, D]
    d_first: np.ndarray  # of x before it was normalised, [E, D]
    d_features: np.ndarray  # [E, D + 6P]
    d_hidden: np.ndarray  # [E, 2D]
    d_values: np.ndarray  # of the values before and after a round, [2, N N, 2P]
    d_first_values: np.ndarray  # of v0 as a feature, [N N, 2P]
    zeros: np.ndarray  # as wide as the widest row
    unbounded: np.ndarray  # the same of minus infinity


@inner
def maps_of(weights):
    return Maps(
        panels_of(weights.values), panels_of(weights.hidden), panels_of(weights.first), panels_of(weights.inputs)
    )


@inner
def transposed_maps_of(weights):
    values, hidden = panels_of(weights.values.T), panels_of(weights.hidden.T)
    return Maps(values, hidden, panels_of(weights.first.T), panels_of(weights.inputs.T))


@lean
def first_values(x, weights, panels, unbounded, out):
    """v0 of all pairs."""
    multiply(x, panels, weights.values_bias, 0, unbounded, out)
    width = np.uint64(out.shape[1])
    for p in range(len(out)):
        row = row_start(p, width)
        for f in range(row, row + width // np.uint64(2), STEP):
            store(out, f, fill(ZERO) - larger(fill(ZERO), load(out, f)))


@lean
def features_of(x, values, scale, start, out, closure):
    """a' of the pairs from `start` on; `values` are v0 and v."""
    first, last = values
    width, channels = np.uint64(x.shape[1]), np.uint64(first.shape[1])
    for p in range(len(out)):
        place, source, target = row_start(p, out.shape[1]), row_start(start + p, channels), row_start(start + p, width)
        copy_lanes(x, target, out, place, width)
        place += width
        target = row_start(start + p, closure.shape[1])
        for f in range(_0, channels, STEP):
            before, after, middle = load(first, source + f), load(last, source + f), channels + f
            has_changed = pick(after, before + fill(GAIN), fill(ONE), fill(ZERO))
            store(out, place + f, before * load(scale, f))
            store(out, place + middle, after * load(scale, middle))
            store(out, place + channels + middle, has_changed * load(scale, channels + middle))
        copy_lanes(out, place, closure, target, closure.shape[1])


@lean
def first_states(hidden, weights, maps, unbounded, mask, out, inverse):
    """x of a tile."""
    multiply(hidden, maps.first, weights.first_bias, 0, unbounded, out)
    width = np.uint64(out.shape[1])
    for p in range(len(out)):
        row = row_start(p, width)
        inverse[p] = normalise_row(out, row, mask, out, row, width)[1]


@compiled
def forward(given, weights, trace, outs, group):
    """Fill `outs` from what the probes say, for the graphs from group[0] to group[1]."""
    nodes, x = given.node.shape[1], aligned(given.node.shape[1] ** 2, given.node.shape[2])
    maps, closing = maps_of(weights), room_for_closure(nodes, weights.values.shape[1] // 2)
    widest = max(weights.hidden.shape[0], weights.inputs.shape[1])
    zeros, unbounded = np.zeros(widest, np.float32), np.full(widest, -np.inf, np.float32)
    mask = (np.ones(x.shape[1], np.float32), np.float32(x.shape[1]))
    keeps = trace.winner.shape[2] > 0
    for b in range(group[0], group[1]):
        values, kept = trace.values, b if keeps else 0
        pair_inputs(given, b, x)
        first_values(x, weights, maps.values, unbounded, values[0, b])
        for k in range(len(values) - 1):
            close_once(values[k, b], nodes, closing, values[k + 1, b], trace.winner[k, b])
        for start in range(0, nodes * nodes, TILE):
            end = min(start + TILE, nodes * nodes)
            tile = slice(start, end) if keeps else slice(0, end - start)
            features, hidden = trace.features[kept, tile], trace.hidden[kept, tile]
            features_of(x, (values[0, b], values[-1, b]), weights.scale, start, features, outs.closure[b])
            multiply(features, maps.hidden, weights.hidden_bias, 0, zeros, hidden)
            inverse = trace.inverse[kept, tile]
            first_states(hidden, weights, maps, unbounded, mask, outs.first[b, start:end], inverse)
            multiply(features, maps.inputs, weights.inputs_bias, 0, unbounded, outs.inputs[b, start:end])


@inner
def room_for(weights, pairs):
    tile, widest = min(TILE, pairs), max(weights.hidden.shape[0], weights.inputs.shape[1])
    channels = weights.values.shape[1]
    return Room(
        aligned(pairs, len(weights.values)),
        aligned(tile, weights.first.shape[1]),
        aligned(tile, len(weights.hidden)),
        aligned(tile, weights.hidden.shape[1]),
        aligned(2 * pairs, channels).reshape(2, pairs, channels),
        aligned(pairs, channels),
        np.zeros(widest, np.float32),
        np.full(widest, -np.inf, np.float32),
    )


@lean
def add_all_rows(x, total):
    for p in range(len(x)):
        add_lanes(x, row_start(p, x.shape[1]), total, _0, x.shape[1])


@lean
def rectifier_backward(hidden, d_hidden):
    for f in range(_0, np.uint64(hidden.size), STEP):
        positive = pick(load(hidden, f), fill(ZERO), fill(ONE), fill(ZERO))
        store(d_hidden, f, positive * load(d_hidden, f))


@lean
def tile_backward(weights, maps, kept, d_outs, room, gradients):
    """From the gradients of a tile's x and z to that of its a'."""
    features, hidden, inverse, first = kept
    d_x, d_inputs = d_outs
    d_first = room.d_first[: len(features)]
    d_features, d_hidden = room.d_features[: len(features)], room.d_hidden[: len(features)]
    width, count = np.uint64(first.shape[1]), np.float32(first.shape[1])
    for p in range(len(first)):
        row = row_start(p, width)
        normalise_row_backward(first, row, inverse[p], d_x, row, d_first, row, width, count)
    add_all_rows(d_first, gradients.first_bias)
    add_transposed_product(hidden, d_first, gradients.first)
    multiply(d_first, maps.first, room.zeros, 0, room.unbounded, d_hidden)
    rectifier_backward(hidden, d_hidden)
    add_all_rows(d_hidden, gradients.hidden_bias)
    add_transposed_product(features, d_hidden, gradients.hidden)
    add_all_rows(d_inputs, gradients.inputs_bias)
    add_transposed_product(features, d_inputs, gradients.inputs)
    multiply(d_hidden, maps.hidden, room.zeros, 0, room.unbounded, d_features)
    multiply(d_inputs, maps.inputs, d_features, d_features.shape[1], room.unbounded, d_features)


@lean
def features_backward(values, scale, start, d_features, d_closure, d_sources):
    """Set the gradients of a as a part of a', of v0 and of v, and add to that of the scale."""
    first, last = values
    d_x, d_first_values, d_values, d_scale = d_sources
    width, channels = np.uint64(d_x.shape[1]), np.uint64(first.shape[1])
    for p in range(len(d_features)):
        place, source = row_start(p, d_features.shape[1]), row_start(start + p, channels)
        copy_lanes(d_features, place, d_x, row_start(start + p, width), width)
        place += width
        add_lanes(d_closure, row_start(start + p, d_closure.shape[1]), d_features, place, d_closure.shape[1])
        for f in range(_0, channels, STEP):
            before, after, middle = load(first, source + f), load(last, source + f), channels + f
            has_changed = pick(after, before + fill(GAIN), fill(ONE), fill(ZERO))
            d_before, d_after = load(d_features, place + f), load(d_features, place + middle)
            d_changed, changed = load(d_features, place + channels + middle), channels + middle
            store(d_scale, f, multiply_add(d_before, before, load(d_scale, f)))
            store(d_scale, middle, multiply_add(d_after, after, load(d_scale, middle)))
            store(d_scale, changed, multiply_add(d_changed, has_changed, load(d_scale, changed)))
            store(d_first_values, source + f, d_before * load(scale, f))
            store(d_values, source + f, d_after * load(scale, middle))


@lean
def first_values_backward(features, first, panels, room, gradients):
    """From the gradients of v0, as a feature and by its closure, add to that of a, with which `features` begin."""
    d, by_closure = room.d_first_values, room.d_values[0]
    width = np.uint64(first.shape[1])
    add_lanes(by_closure, _0, d, _0, d.size)
    for p in range(len(d)):
        row = row_start(p, width)
        for f in range(row, row + width // np.uint64(2), STEP):
            slope = pick(fill(ZERO), load(first, f), fill(-ONE), fill(-COST_SLOPE))
            store(d, f, slope * load(d, f))
    add_all_rows(d, gradients.values_bias)
    add_transposed_product(features, d, gradients.values)
    multiply(d, panels, flat(room.d_inputs), room.d_inputs.shape[1], room.unbounded, room.d_inputs)


@compiled
def backward(weights, trace, first, d_outs, d_given, gradients, group):
    """Fill `d_given` and add to the other gradients from those of all that was made; `first` is x as `Outs` has it."""
    nodes = d_given.node.shape[1]
    maps, room = transposed_maps_of(weights), room_for(weights, nodes * nodes)
    for b in range(group[0], group[1]):
        values = (trace.values[0, b], trace.values[-1, b])
        for start in range(0, nodes * nodes, TILE):
            end = min(start + TILE, nodes * nodes)
            own = slice(start, end)
            kept = (trace.features[b, own], trace.hidden[b, own], trace.inverse[b, own], first[b, own])
            tile_backward(weights, maps, kept, (d_outs.first[b, own], d_outs.inputs[b, own]), room, gradients)
            d_sources = (room.d_inputs, room.d_first_values, room.d_values[0], gradients.scale)
            d_features = room.d_features[: end - start]
            features_backward(values, weights.scale, start, d_features, d_outs.closure[b], d_sources)
        for k in range(len(trace.winner) - 1, -1, -1):
            close_once_backward(trace.values[k, b], nodes, trace.winner[k, b], room.d_values[0], room.d_values[1])
            copy_lanes(room.d_values[1], _0, room.d_values[0], _0, room.d_values[0].size)
        first_values_backward(trace.features[b], values[0], maps.values, room, gradients)
        pair_inputs_backward(room.d_inputs, b, d_given)
