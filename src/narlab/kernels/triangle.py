"""The triangle processor, all steps of a graph at a time; the way back is in `triangle_backward`.

With the state x_ik of all pairs and what does not change between steps, z and z', each step is
    q1, k1, q2, k2, c, d, f = x F + z
    m_ik = max_j (q1_ij k1_jk + q2_ij k2_jk) in half of the channels, max_j min(q1_ij, k1_jk) in the others
    u_ik = mean_j relu(c_ij) relu(d_jk)              n_i = sum_j sign(f_ij - f_ji), t_i = [tanh(n_i), n_i / N]
    h_ik = relu([x_ik, x_ki, s_ik, LN[m_ik, u_ik]] M + t_i V + t_k V' + z'_ik)
    g, o = h U                                       x'_ik = LN(x_ik + sigmoid(g_ik) o_ik)
where s_ik is half of the state of the pair after (i, k), half of that before it. Pairs are rows, (i, k) is row i N + k.
What of a step is linear is most of the work; its parts are in `triangle_parts`, the rest in `triangle_products`.
"""

from typing import NamedTuple

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.counts import counts
from narlab.kernels.lane_rows import join_rows
from narlab.kernels.lanes import LANES
from narlab.kernels.matrices import ROWS, multiply, panels_of
from narlab.kernels.numerics import ONE, ZERO, aligned, flat, inner, lean
from narlab.kernels.triangle_parts import features_of, new_state, normalise_products, start_hidden
from narlab.kernels.triangle_products import Packed, grid_of_counts, new_packed, pack_all_columns, products_of

TILE = 66 // ROWS * ROWS  # pairs that go through the maps together, in whole tiles of their products
BLOCK = 4096  # pairs whose products are made together


class Weights(NamedTuple):
    """Each map as rows times matrix; Y is the width of the factors, W that of the products."""

    inputs: np.ndarray  # z' and z, [B, N N, 2D + Y]
    factors: np.ndarray  # F, [D, Y]
    mix: np.ndarray  # M, [3D + W, 2D]
    of_counts: np.ndarray  # V and V', [8, 4D]
    update: np.ndarray  # U, [2D, 2D]
    update_bias: np.ndarray


class Graphs(NamedTuple):
    """What is the same for all weights."""

    order: np.ndarray  # the node after each and the one before, -1 for none, [B, 2, N]
    channels: np.ndarray  # 1 where a product is used, [W]


class Outs(NamedTuple):
    """What is made of all graphs."""

    states: np.ndarray  # of all steps [T + 1, B, N N, D], or the last two
    found: np.ndarray  # the products of the last step, [B, N N, W]
    pairs: np.ndarray  # beside each other these and the closure, [B, N N, W + 6P]


class Trace(NamedTuple):
    """What the way back needs of every step of every graph; where nothing is kept it is room for one step of one graph,
    and all but counts for one tile of its pairs: R."""

    counts: np.ndarray  # t, [T, B, N, 8]
    units: np.ndarray  # LN[m, u], [T, B, R, W]
    inverse: np.ndarray  # one over the deviations of [m, u], [T, B, R]
    winner: np.ndarray  # the j of m, [T, B, R, 2P], or R = 0
    hidden: np.ndarray  # h, [T, B, R, 2D]
    gates: np.ndarray  # sigmoid(g), [T, B, R, D]
    moments: np.ndarray  # mean and inverse deviation of x + sigmoid(g) o, [T, B, R, 2]


class Maps(NamedTuple):
    """The maps in panels, or their transposes."""

    factors: np.ndarray
    mix: np.ndarray
    of_counts: np.ndarray
    update: np.ndarray


class Room(NamedTuple):
    """Room to work in, for one graph; E pairs are a tile."""

    maps: Maps
    factors: np.ndarray  # [N N, Y]
    sums: np.ndarray  # n, [N, LANES]
    of_nodes: np.ndarray  # t V and t V', [N, 4D]
    features: np.ndarray  # what is mixed, [E, 3D + W + LANES]: with rows of a power of 2 few lines stay in the cache
    update: np.ndarray  # g and o, [E, 2D]
    packed: Packed
    masks: tuple  # those of the state, of its halves and of the products
    zeros: np.ndarray  # as wide as the widest row
    unbounded: np.ndarray  # the same of minus infinity
    lowest_factors: np.ndarray  # 0 for c and d, minus infinity for the others, [Y]


@lean
def size_of(weights, nodes):
    """N, P and r; see `triangle_products`."""
    width, factors = weights.factors.shape
    return nodes, (factors - width - LANES) // 6, width // 2


@lean
def rows_of_block(nodes):
    """How many rows of pairs have their products made together."""
    return max(1, min(nodes, BLOCK // nodes))


@inner
def room_for(weights, graphs, rows):
    """Room for products of so many rows of pairs at a time."""
    nodes, width = graphs.order.shape[2], len(weights.factors)
    size, tile = size_of(weights, nodes), min(TILE, nodes * nodes)
    widest = max(len(weights.mix), weights.factors.shape[1])
    lowest_factors = np.full(weights.factors.shape[1], -np.inf, np.float32)
    lowest_factors[6 * size[1] : 6 * size[1] + 2 * size[2]] = ZERO
    ones = np.ones(width, np.float32)
    first, second = np.zeros(width, np.float32), np.zeros(width, np.float32)
    first[: width // 2] = ONE
    second[width // 2 :] = ONE
    return Room(
        Maps(
            panels_of(weights.factors),
            panels_of(weights.mix),
            panels_of(weights.of_counts),
            panels_of(weights.update),
        ),
        aligned(nodes * nodes, weights.factors.shape[1]),
        aligned(nodes, LANES),
        aligned(nodes, weights.of_counts.shape[1]),
        aligned(tile, len(weights.mix) + LANES),
        aligned(tile, 2 * width),
        new_packed(size, rows),
        ((ones, np.float32(width)), first, second, (graphs.channels, np.float32(graphs.channels.sum()))),
        np.zeros(widest, np.float32),
        np.full(widest, -np.inf, np.float32),
        lowest_factors,
    )


@inner
def kept_of(trace, b, t):
    """What is kept of graph b at step t."""
    return Trace(
        trace.counts[t, b],
        trace.units[t, b],
        trace.inverse[t, b],
        trace.winner[t, b],
        trace.hidden[t, b],
        trace.gates[t, b],
        trace.moments[t, b],
    )


@lean
def of_tile(kept, start, end, pairs):
    """What is kept of a tile of so many pairs; without a way back there is room for one only."""
    first = start if len(kept.hidden) == pairs else 0
    tile = slice(first, first + end - start)
    return Trace(
        kept.counts,
        kept.units[tile],
        kept.inverse[tile],
        kept.winner,
        kept.hidden[tile],
        kept.gates[tile],
        kept.moments[tile],
    )


@lean
def factors_of(weights, room, inputs, x):
    """The factors of all pairs."""
    start = flat(inputs)[inputs.shape[1] - weights.factors.shape[1] :]
    multiply(x, room.maps.factors, start, inputs.shape[1], room.lowest_factors, room.factors)


@lean
def tile_forward(weights, order, kept, room, inputs, start, x, found, out):
    """The next state of the pairs from `start` on, whose products are `found`."""
    end = start + len(kept.hidden)
    features, update = room.features[: end - start], room.update[: end - start]
    normalise_products(found[start:end], room.masks[3], kept.units, kept.inverse)
    features_of(x, kept.units, order, start, room.masks, features)
    start_hidden(inputs, room.of_nodes, start, kept.hidden)
    multiply(features, room.maps.mix, flat(kept.hidden), kept.hidden.shape[1], room.zeros, kept.hidden)
    multiply(kept.hidden, room.maps.update, weights.update_bias, 0, room.unbounded, update)
    new_state(x[start:end], update, room.masks[0], out[start:end], kept.gates, kept.moments)


@lean
def step(weights, order, kept, room, inputs, x, found, out):
    """One step of a graph from its state `x` to `out`; its products are left in `found`."""
    nodes = order.shape[1]
    size = size_of(weights, nodes)
    factors_of(weights, room, inputs, x)
    counts(grid_of_counts(room.factors, size), room.sums, kept.counts)
    multiply(kept.counts, room.maps.of_counts, room.zeros, 0, room.unbounded, room.of_nodes)
    pack_all_columns(room.factors, size, room.packed)
    rows = rows_of_block(nodes)
    for first in range(0, nodes, rows):
        last = min(first + rows, nodes)
        block = slice(first * nodes, last * nodes)
        products_of(room.factors, size, (first, last), found[block], kept.winner[block], room.packed)
        for start in range(first * nodes, last * nodes, TILE):
            end = min(start + TILE, last * nodes)
            of_pairs = of_tile(kept, start, end, len(x))
            tile_forward(weights, order, of_pairs, room, inputs, start, x, found, out)


@compiled
def forward(weights, graphs, closure, trace, outs, steps, group):
    """All steps of the graphs from group[0] to group[1]; `closure` [B, N N, 6P] is passed on."""
    room = room_for(weights, graphs, rows_of_block(graphs.order.shape[2]))
    keeps, states, found = trace.winner.shape[2] > 0, outs.states, outs.found
    for b in range(group[0], group[1]):
        for t in range(steps):
            before, after = (t, t + 1) if keeps else (t % 2, (t + 1) % 2)
            kept = kept_of(trace, b, t) if keeps else kept_of(trace, 0, 0)
            x, out = states[before, b], states[after, b]
            step(weights, graphs.order[b], kept, room, weights.inputs[b], x, found[b], out)
        join_rows((found, closure), b, outs.pairs[b])
