"""The parts of a step of the triangle processor, each with its way back; see `narlab.kernels.triangle` for the formula.

Pairs are rows, (i, k) is row i N + k; a tile is some pairs that go through the maps together.
"""

import numpy as np

from narlab.kernels.lane_rows import add_lanes, copy_lanes, normalise_row, normalise_row_backward
from narlab.kernels.lanes import STEP, fill, load, multiply_add, pick, sigmoid_of, store
from narlab.kernels.numerics import ONE, ZERO, flat, lean, lean_part, row_start

_0 = np.uint64(0)


@lean
def start_hidden(inputs, of_nodes, start, out):
    """What is added to the mixed features of the pairs from `start` on: inputs_ik + first_i + second_k."""
    nodes, width = len(of_nodes), np.uint64(out.shape[1])
    given, of_node, target = flat(inputs), flat(of_nodes), flat(out)
    i, k = divmod(start - 1, nodes)
    for p in range(len(out)):
        i, k = (i, k + 1) if k + 1 < nodes else (i + 1, 0)
        source, place = row_start(start + p, inputs.shape[1]), row_start(p, width)
        first, second = row_start(2 * i, width), row_start(2 * k + 1, width)
        for f in range(_0, width, STEP):
            total = load(given, source + f) + load(of_node, first + f) + load(of_node, second + f)
            store(target, place + f, total)


@lean
def hidden_backward(hidden, d_hidden, start, d_inputs, d_of_nodes):
    """Turn the gradient of h into that of what is rectified; add it to those of the inputs and the nodes' parts."""
    nodes, width = len(d_of_nodes), np.uint64(hidden.shape[1])
    kept, d, d_given, d_of_node = flat(hidden), flat(d_hidden), flat(d_inputs), flat(d_of_nodes)
    i, k = divmod(start - 1, nodes)
    for p in range(len(hidden)):
        i, k = (i, k + 1) if k + 1 < nodes else (i + 1, 0)
        target, place = row_start(start + p, d_inputs.shape[1]), row_start(p, width)
        first, second = row_start(2 * i, width), row_start(2 * k + 1, width)
        for f in range(_0, width, STEP):
            positive = pick(load(kept, place + f), fill(ZERO), fill(ONE), fill(ZERO))
            value = positive * load(d, place + f)  # a choice would be a masked store, which some machines are slow at
            store(d, place + f, value)
            store(d_given, target + f, load(d_given, target + f) + value)
            store(d_of_node, first + f, load(d_of_node, first + f) + value)
            store(d_of_node, second + f, load(d_of_node, second + f) + value)


@lean_part
def pair_at(order, i, k, own):
    """The pair of the nodes that stand in `order` for i and k, and 1; the pair `own` and 0 where one has none."""
    first, second = order[i], order[k]
    exists = first >= 0 and second >= 0
    return (first * len(order) + second, ONE) if exists else (own, ZERO)


@lean_part
def neighbours(order, i, k, width):
    """Where the states of the pairs after and before (i, k) begin, and for each 1, or 0 where there is none."""
    own = i * order.shape[1] + k
    after, has_after = pair_at(order[0], i, k, own)
    before, has_before = pair_at(order[1], i, k, own)
    return row_start(after, width), row_start(before, width), fill(has_after), fill(has_before)


@lean
def normalise_products(products, mask, units, inverse):
    """LN[m_ik, u_ik] of a tile, and one over the deviations."""
    channels = np.uint64(products.shape[1])
    made, target = flat(products), flat(units)
    for p in range(len(products)):  # on its own: such chains of operations overlap from row to row if they are short
        row = row_start(p, channels)
        inverse[p] = normalise_row(made, row, mask, target, row, channels)[1]


@lean
def features_of(x, units, order, start, masks, out):
    """What is mixed, of the pairs from `start` on: [x_ik, x_ki, s_ik, LN[m_ik, u_ik]], of which the last are `units`.

    `masks` are those of the state, of its halves and of the products.
    """
    _, first_half, second_half, _ = masks
    nodes, width, channels = order.shape[1], np.uint64(x.shape[1]), np.uint64(units.shape[1])
    state, made, target = flat(x), flat(units), flat(out)
    i, k = divmod(start - 1, nodes)
    for p in range(len(out)):
        i, k = (i, k + 1) if k + 1 < nodes else (i + 1, 0)
        after, before, has_after, has_before = neighbours(order, i, k, width)
        place = row_start(p, out.shape[1])
        copy_lanes(state, row_start(start + p, width), target, place, width)
        copy_lanes(state, row_start(k * nodes + i, width), target, place + width, width)
        place += width + width
        for f in range(_0, width, STEP):
            half = load(second_half, f) * has_before * load(state, before + f)
            store(target, place + f, multiply_add(load(first_half, f) * has_after, load(state, after + f), half))
        copy_lanes(made, row_start(p, channels), target, place + width, channels)


@lean
def features_backward(units, inverse, d_features, order, start, masks, d_sources):
    """Share out the gradient of a tile's features to those of the state and of the products."""
    _, first_half, second_half, of_products = masks
    d_x, d_products = d_sources
    nodes, width, channels = order.shape[1], np.uint64(d_x.shape[1]), np.uint64(d_products.shape[1])
    d_state, d_made, d, kept = flat(d_x), flat(d_products), flat(d_features), flat(units)
    i, k = divmod(start - 1, nodes)
    for p in range(len(d_features)):
        i, k = (i, k + 1) if k + 1 < nodes else (i + 1, 0)
        after, before, has_after, has_before = neighbours(order, i, k, width)
        place = row_start(p, d_features.shape[1])
        add_lanes(d, place, d_state, row_start(start + p, width), width)
        add_lanes(d, place + width, d_state, row_start(k * nodes + i, width), width)
        place += width + width
        for f in range(_0, width, STEP):
            first, second = load(first_half, f) * has_after, load(second_half, f) * has_before
            store(d_state, after + f, multiply_add(load(d, place + f), first, load(d_state, after + f)))
            store(d_state, before + f, multiply_add(load(d, place + f), second, load(d_state, before + f)))
    for p in range(len(d_features)):
        unit, target = row_start(p, channels), row_start(start + p, channels)
        place = row_start(p, d_features.shape[1]) + width + width + width
        normalise_row_backward(kept, unit, inverse[p], d, place, d_made, target, channels, of_products[1])


@lean
def new_state(x, update, mask, out, gates, moments):
    """x' = LN(x + sigmoid(g) o) of a tile, where `update` is [g, o]; keeps sigmoid(g), mean and inverse deviation."""
    width = np.uint64(x.shape[1])
    state, values, target, kept = flat(x), flat(update), flat(out), flat(gates)
    for p in range(len(x)):
        place = row_start(p, width)
        for f in range(_0, width, STEP):
            gate = sigmoid_of(load(values, place + place + f))
            store(kept, place + f, gate)
            total = multiply_add(gate, load(values, place + place + width + f), load(state, place + f))
            store(target, place + f, total)
    for p in range(len(x)):  # on its own, as in `normalise_products`
        place = row_start(p, width)
        moments[p, 0], moments[p, 1] = normalise_row(target, place, mask, target, place, width)


@lean
def new_state_backward(states, gates, moments, d_out, d_x, d_update, d_bias):
    """From the gradient of x', which is used up, add to that of x and set that of [g, o]; `states` are x and x'."""
    width, count = np.uint64(d_out.shape[1]), np.float32(d_out.shape[1])
    x, result = flat(states[0]), flat(states[1])
    kept, d, d_state, target = flat(gates), flat(d_out), flat(d_x), flat(d_update)
    for p in range(len(d_out)):
        place = row_start(p, width)
        normalise_row_backward(result, place, moments[p, 1], d, place, d, place, width, count)
    for p in range(len(d_out)):
        place, mean, inverse = row_start(p, width), fill(moments[p, 0]), moments[p, 1]
        deviation = fill(ONE / inverse)
        for f in range(_0, width, STEP):
            share, gate = load(d, place + f), load(kept, place + f)
            gated = multiply_add(load(result, place + f), deviation, mean) - load(x, place + f)
            d_gate, d_other = share * gated * (fill(ONE) - gate), share * gate
            store(d_state, place + f, load(d_state, place + f) + share)
            store(target, place + place + f, d_gate)
            store(target, place + place + width + f, d_other)
            store(d_bias, f, load(d_bias, f) + d_gate)
            store(d_bias, width + f, load(d_bias, width + f) + d_other)


@lean
def factors_backward(factors, bounds, d_factors, d_inputs):
    """Turn the gradient of rectified factors, those from bounds[0] to bounds[1], into that of what is rectified; add
    all to that of the inputs."""
    kept, d, d_given, width = flat(factors), flat(d_factors), flat(d_inputs), np.uint64(factors.shape[1])
    first, last = np.uint64(bounds[0]), np.uint64(bounds[1])
    for p in range(len(factors)):
        row, target = row_start(p, width), row_start(p + 1, d_inputs.shape[1]) - width
        for f in range(first, last, STEP):
            positive = pick(load(kept, row + f), fill(ZERO), fill(ONE), fill(ZERO))
            store(d, row + f, positive * load(d, row + f))
        add_lanes(d, row, d_given, target, width)
