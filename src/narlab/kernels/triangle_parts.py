"""The parts of a step of the triangle processor, each with its way back; see `narlab.kernels.triangle` for the formula.

Pairs are rows, (i, k) is row i N + k; a tile is some pairs that go through the maps together.
"""

import numpy as np

from narlab.kernels.lane_rows import add_lanes, copy_lanes, normalise_row, row_moments
from narlab.kernels.lanes import STEP, fill, load, multiply_add, pick, sigmoid_of, store, sum_of
from narlab.kernels.numerics import EPSILON, ONE, ZERO, flat, kernel, part, row_start

_0, _1, _2 = map(np.uint64, (0, 1, 2))


@part
def masked_moments(x, place, mask, width):
    """The mean of a row, and one over its standard deviation; lanes that `mask` has a zero for are zero in the row."""
    total = many = fill(ZERO)
    for f in range(_0, width, STEP):
        total, many = total + load(x, place + f), many + load(mask, f)
    count = sum_of(many)
    mean = sum_of(total) / count
    squares, middle = fill(ZERO), fill(mean)
    for f in range(_0, width, STEP):
        distance = load(mask, f) * (load(x, place + f) - middle)
        squares = multiply_add(distance, distance, squares)
    return mean, ONE / np.sqrt(sum_of(squares) / count + EPSILON)


@part
def normalise_masked(x, source, mask, out, target, width):
    """The layer normalisation of a row whose other lanes are zero; returns one over the standard deviation."""
    mean, inverse = masked_moments(x, source, mask, width)
    middle, factor = fill(mean), fill(inverse)
    for f in range(_0, width, STEP):
        store(out, target + f, load(mask, f) * (load(x, source + f) - middle) * factor)
    return inverse


@part
def unit_row_backward(unit, place, gradient, source, out, target, width, scales):
    """The gradient of what a row of unit variance was normalised from; `scales` are the inverse deviation and 1 / count.

    Lanes that are no part of the row are zero in it and in its gradient.
    """
    inverse, share = scales
    plain = along = fill(ZERO)
    for f in range(_0, width, STEP):
        d = load(gradient, source + f)
        plain, along = plain + d, multiply_add(d, load(unit, place + f), along)
    middle, slope, factor = fill(sum_of(plain) * share), fill(sum_of(along) * share), fill(inverse)
    for f in range(_0, width, STEP):
        d = load(gradient, source + f) - middle - load(unit, place + f) * slope
        store(out, target + f, d * factor)


@kernel
def start_hidden(inputs, of_nodes, start, out):
    """What is added to the mixed features of the pairs from `start` on: inputs_ik + first_i + second_k."""
    nodes, width = len(of_nodes), np.uint64(out.shape[1])
    given, of_node, target = flat(inputs), flat(of_nodes), flat(out)
    for p in range(len(out)):
        i, k = divmod(start + p, nodes)
        source, place = row_start(start + p, inputs.shape[1]), row_start(p, width)
        first, second = row_start(2 * i, width), row_start(2 * k + 1, width)
        for f in range(_0, width, STEP):
            total = load(given, source + f) + load(of_node, first + f) + load(of_node, second + f)
            store(target, place + f, total)


@kernel
def hidden_backward(hidden, d_hidden, start, d_inputs, d_of_nodes):
    """Turn the gradient of h into that of what is rectified; add it to those of the inputs and the nodes' parts."""
    nodes, width = len(d_of_nodes), np.uint64(hidden.shape[1])
    kept, d, d_given, d_of_node = flat(hidden), flat(d_hidden), flat(d_inputs), flat(d_of_nodes)
    for p in range(len(hidden)):
        i, k = divmod(start + p, nodes)
        target, place = row_start(start + p, d_inputs.shape[1]), row_start(p, width)
        first, second = row_start(2 * i, width), row_start(2 * k + 1, width)
        for f in range(_0, width, STEP):
            positive = pick(load(kept, place + f), fill(ZERO), fill(ONE), fill(ZERO))
            value = positive * load(d, place + f)  # a choice would be a masked store, which some machines are slow at
            store(d, place + f, value)
            store(d_given, target + f, load(d_given, target + f) + value)
            store(d_of_node, first + f, load(d_of_node, first + f) + value)
            store(d_of_node, second + f, load(d_of_node, second + f) + value)


@part
def shifted_pair(order, i, k, nodes):
    """The pairs after and before both nodes of a pair; N N, a pair of zeros, where there is none."""
    after_i, after_k, before_i, before_k = order[0, i], order[0, k], order[1, i], order[1, k]
    after = after_i * nodes + after_k if after_i >= 0 and after_k >= 0 else nodes * nodes
    before = before_i * nodes + before_k if before_i >= 0 and before_k >= 0 else nodes * nodes
    return after, before


@kernel
def features_of(x, products, order, start, masks, out, inverse):
    """What is mixed, of the pairs from `start` on: [x_ik, x_ki, s_ik, LN[m_ik, u_ik]]; keeps the inverse deviations.

    `x` has one more row, of zeros; `masks` are the halves of the state and the channels of the products.
    """
    first_half, second_half, channels = masks
    nodes, width, of_products = order.shape[1], np.uint64(x.shape[1]), np.uint64(products.shape[1])
    state, made, target = flat(x), flat(products), flat(out)
    for p in range(len(out)):
        i, k = divmod(start + p, nodes)
        after, before = shifted_pair(order, i, k, nodes)
        place, after, before = row_start(p, out.shape[1]), row_start(after, width), row_start(before, width)
        copy_lanes(state, row_start(start + p, width), target, place, width)
        copy_lanes(state, row_start(k * nodes + i, width), target, place + width, width)
        place += width + width
        for f in range(_0, width, STEP):
            half = load(second_half, f) * load(state, before + f)
            store(target, place + f, multiply_add(load(first_half, f), load(state, after + f), half))
        inverse[p] = normalise_masked(made, row_start(p, of_products), channels, target, place + width, of_products)


@kernel
def features_backward(features, d_features, order, start, masks, inverse, d_sources):
    """Share out the gradient of a tile's features to those of the state, which has one more row, and the products."""
    first_half, second_half, channels = masks
    d_x, d_products, count = d_sources
    nodes, width, of_products = order.shape[1], np.uint64(d_x.shape[1]), np.uint64(d_products.shape[1])
    d_state, d_made, d, kept = flat(d_x), flat(d_products), flat(d_features), flat(features)
    for p in range(len(d_features)):
        i, k = divmod(start + p, nodes)
        after, before = shifted_pair(order, i, k, nodes)
        place, after, before = row_start(p, d_features.shape[1]), row_start(after, width), row_start(before, width)
        add_lanes(d, place, d_state, row_start(start + p, width), width)
        add_lanes(d, place + width, d_state, row_start(k * nodes + i, width), width)
        place += width + width
        for f in range(_0, width, STEP):
            share = load(d, place + f)
            store(d_state, after + f, multiply_add(share, load(first_half, f), load(d_state, after + f)))
            store(d_state, before + f, multiply_add(share, load(second_half, f), load(d_state, before + f)))
        place += width
        target, scales = row_start(start + p, of_products), (inverse[p], ONE / count)
        unit_row_backward(kept, place, d, place, d_made, target, of_products, scales)


@kernel
def new_state(x, update, out, gates, moments):
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
        found = row_moments(target, place, width)
        moments[p, 0], moments[p, 1] = found
        normalise_row(target, place, found, target, place, width)


@kernel
def new_state_backward(states, gates, moments, d_out, d_update, d_bias):
    """Turn the gradient of x' into that of x + sigmoid(g) o, and set that of [g, o]; `states` are x and x'."""
    width = np.uint64(d_out.shape[1])
    x, result = flat(states[0]), flat(states[1])
    kept, d, target = flat(gates), flat(d_out), flat(d_update)
    for p in range(len(d_out)):
        place, inverse = row_start(p, width), moments[p, 1]
        unit_row_backward(result, place, d, place, d, place, width, (inverse, ONE / np.float32(width)))
        mean, deviation = fill(moments[p, 0]), fill(ONE / inverse)
        for f in range(_0, width, STEP):
            share, gate = load(d, place + f), load(kept, place + f)
            gated = multiply_add(load(result, place + f), deviation, mean) - load(x, place + f)
            d_gate, d_other = share * gated * (fill(ONE) - gate), share * gate
            store(target, place + place + f, d_gate)
            store(target, place + place + width + f, d_other)
            store(d_bias, f, load(d_bias, f) + d_gate)
            store(d_bias, width + f, load(d_bias, width + f) + d_other)
