"""The way back of `triangle`, all steps of a graph at a time. Factors are made again: to keep them takes longer."""

from typing import NamedTuple

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.counts import counts_backward
from narlab.kernels.lane_rows import add_lanes, clear_lanes, copy_lanes, share_out_rows
from narlab.kernels.matrices import COLUMNS, add_transposed_product, multiply, panels_of
from narlab.kernels.numerics import aligned, flat, inner, lean
from narlab.kernels.triangle import TILE, Maps, factors_of, kept_of, of_tile, room_for, size_of
from narlab.kernels.triangle_parts import (
    factors_backward,
    features_backward,
    features_of,
    hidden_backward,
    new_state_backward,
)
from narlab.kernels.triangle_products import grid_of_counts, products_backward

_0 = np.uint64(0)


class Gradients(NamedTuple):
    """Gradients of the weights, for one group of graphs; `inputs` are those of the whole batch, which are set."""

    inputs: np.ndarray
    factors: np.ndarray
    mix: np.ndarray
    of_counts: np.ndarray
    update: np.ndarray
    update_bias: np.ndarray


class OutGradients(NamedTuple):
    """Those of what `forward` made."""

    before: np.ndarray  # of the last two states, [B, N N, D]
    after: np.ndarray
    pairs: np.ndarray  # [B, N N, W + 6P]
    found: np.ndarray  # its parts, which are made of it: that of the products [B, N N, W]
    closure: np.ndarray  # and that of the closure, [B, N N, 6P]


class BackRoom(NamedTuple):
    """More room, for the way back."""

    maps: Maps
    d_state: np.ndarray  # [N N, D]
    d_factors: np.ndarray  # [N N, Y]
    d_counts: np.ndarray  # [N, COLUMNS]
    d_of_nodes: np.ndarray  # [N, 4D]
    d_products: np.ndarray  # [N N, W]
    d_features: np.ndarray  # [E, 3D + W]
    d_hidden: np.ndarray  # [E, 2D]


@inner
def back_room_for(weights, graphs):
    nodes, width = graphs.order.shape[2], len(weights.factors)
    pairs, tile = nodes * nodes, min(TILE, nodes * nodes)
    return BackRoom(
        Maps(
            panels_of(weights.factors.T),
            panels_of(weights.mix.T),
            panels_of(weights.of_counts.T),
            panels_of(weights.update.T),
        ),
        aligned(pairs, width),
        aligned(pairs, weights.factors.shape[1]),
        aligned(nodes, COLUMNS),
        aligned(nodes, 4 * width),
        aligned(pairs, len(graphs.channels)),
        aligned(tile, len(weights.mix)),
        aligned(tile, 2 * width),
    )


@lean
def tile_backward(weights, order, kept, rooms, pairs, states, d_x, gradients):
    """From the gradient of a tile's next state, which is used up, add to those of state, products and nodes' parts."""
    room, back_room = rooms
    b, start, end = pairs
    d_update, d_hidden = room.update[: end - start], back_room.d_hidden[: end - start]
    features, d_features = room.features[: end - start], back_room.d_features[: end - start]
    d_state, own = back_room.d_state, slice(start, end)
    new_state_backward(
        (states[0][own], states[1][own]),
        kept.gates,
        kept.moments,
        d_x[own],
        d_state[own],
        d_update,
        gradients.update_bias,
    )
    add_transposed_product(kept.hidden, d_update, gradients.update)
    multiply(d_update, back_room.maps.update, room.zeros, 0, room.unbounded, d_hidden)
    hidden_backward(kept.hidden, d_hidden, start, gradients.inputs[b], back_room.d_of_nodes)
    features_of(states[0], kept.units, order, start, room.masks, features)
    add_transposed_product(features, d_hidden, gradients.mix)
    multiply(d_hidden, back_room.maps.mix, room.zeros, 0, room.unbounded, d_features)
    d_sources = (d_state, back_room.d_products)
    features_backward(kept.units, kept.inverse, d_features, order, start, room.masks, d_sources)


@lean
def factors_and_counts_backward(weights, kept, rooms, b, gradients):
    """From the gradients of products and nodes' parts to those of the factors."""
    room, back_room = rooms
    size = size_of(weights, len(kept.counts))
    d_factors, d_of_nodes = back_room.d_factors, back_room.d_of_nodes
    products_backward(room.factors, size, kept.winner, back_room.d_products, d_factors, room.packed)
    add_transposed_product(kept.counts, d_of_nodes, gradients.of_counts)
    multiply(d_of_nodes, back_room.maps.of_counts, room.zeros, 0, room.unbounded, back_room.d_counts)
    of_counts, d_of_counts = grid_of_counts(room.factors, size), grid_of_counts(d_factors, size)
    counts_backward(of_counts, kept.counts, back_room.d_counts, room.sums, d_of_counts)
    rectified = (6 * size[1], 6 * size[1] + 2 * size[2])
    factors_backward(room.factors, rectified, d_factors, gradients.inputs[b])


@lean
def step_backward(weights, order, kept, rooms, b, states, d_found, d_x, gradients):
    """Turn the gradient `d_x` of a step's result into that of its start, and add to all others; `states` are both,
    `d_found` the gradient of the products from elsewhere, or has no rows."""
    room, back_room = rooms
    x = states[0]
    clear_lanes(back_room.d_state, _0, back_room.d_state.size)
    clear_lanes(back_room.d_of_nodes, _0, back_room.d_of_nodes.size)
    for start in range(0, len(x), TILE):
        end = min(start + TILE, len(x))
        pairs = (b, start, end)
        tile_backward(weights, order, of_tile(kept, start, end, len(x)), rooms, pairs, states, d_x, gradients)
    add_lanes(d_found, _0, back_room.d_products, _0, d_found.size)
    factors_of(weights, room, weights.inputs[b], x)
    factors_and_counts_backward(weights, kept, rooms, b, gradients)
    add_transposed_product(x, back_room.d_factors, gradients.factors)
    multiply(back_room.d_factors, back_room.maps.factors, flat(back_room.d_state), x.shape[1], room.unbounded, d_x)


@compiled
def backward(weights, graphs, trace, states, d_outs, d_first, gradients, group):
    """The way back; fills the gradient of the first state, `d_first`, and `d_outs.closure`."""
    rooms = (room_for(weights, graphs, graphs.order.shape[2]), back_room_for(weights, graphs))
    steps, d_found = len(states) - 1, d_outs.found
    for b in range(group[0], group[1]):
        share_out_rows(d_outs.pairs[b], b, (d_found, d_outs.closure))
        clear_lanes(gradients.inputs[b], _0, gradients.inputs[b].size)
        d_x = d_first[b]
        copy_lanes(d_outs.after[b], _0, d_x, _0, d_x.size)
        for t in range(steps - 1, -1, -1):
            is_last = t == steps - 1
            kept, both = kept_of(trace, b, t), (states[t, b], states[t + 1, b])
            d_of_found = d_found[b] if is_last else d_found[b, :0]
            step_backward(weights, graphs.order[b], kept, rooms, b, both, d_of_found, d_x, gradients)
            if is_last:
                add_lanes(d_outs.before[b], _0, d_x, _0, d_x.size)
