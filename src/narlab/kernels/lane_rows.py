"""Small steps on rows, a multiple of `LANES` wide: copies, sums, layer normalisation.

A row is given by its array, which is flat or taken as if it were, and the place where it begins.
"""

import numpy as np

from narlab.kernels.lanes import STEP, fill, load, multiply_add, store, sum_of
from narlab.kernels.numerics import EPSILON, ONE, ZERO, flat, lean, lean_part, row_start

_0 = np.uint64(0)


@lean_part
def copy_lanes(x, source, out, target, width):
    for f in range(_0, np.uint64(width), STEP):
        store(out, target + f, load(x, source + f))


@lean_part
def clear_lanes(out, target, width):
    for f in range(_0, np.uint64(width), STEP):
        store(out, target + f, fill(ZERO))


@lean_part
def add_lanes(x, source, out, target, width):
    for f in range(_0, np.uint64(width), STEP):
        store(out, target + f, load(out, target + f) + load(x, source + f))


@lean
def join_rows(parts, b, out):
    """Rows [B, R, ...] of graph b of all parts beside each other."""
    begin, width, target = _0, np.uint64(out.shape[1]), flat(out)
    for part in parts:
        given, own = flat(part), np.uint64(part.shape[2])
        for p in range(len(out)):
            source, place = row_start(b * len(out) + p, own), row_start(p, width) + begin
            copy_lanes(given, source, target, place, own - own % STEP)
            for f in range(own - own % STEP, own):
                target[place + f] = given[source + f]
        begin += own


@lean
def share_out_rows(rows, b, parts):
    """The way back of `join_rows`: all parts of the rows of graph b."""
    begin, width, given = _0, np.uint64(rows.shape[1]), flat(rows)
    for part in parts:
        target, own = flat(part), np.uint64(part.shape[2])
        for p in range(len(rows)):
            source, place = row_start(p, width) + begin, row_start(b * len(rows) + p, own)
            copy_lanes(given, source, target, place, own - own % STEP)
            for f in range(own - own % STEP, own):
                target[place + f] = given[source + f]
        begin += own


@lean_part
def normalise_row(x, source, mask, out, target, width):
    """The layer normalisation of a row, without scale and offset: returns the mean and one over the deviation.

    `mask` is a row of 1 and how many these are: where it has 0 the row must be zero, and is no part of it.
    """
    part_of_row, count = mask
    total = fill(ZERO)
    for f in range(_0, width, STEP):
        total = total + load(x, source + f)
    mean = sum_of(total) / count
    squares, middle = fill(ZERO), fill(mean)
    for f in range(_0, width, STEP):
        distance = load(part_of_row, f) * (load(x, source + f) - middle)
        squares = multiply_add(distance, distance, squares)
    inverse = ONE / np.sqrt(sum_of(squares) / count + EPSILON)
    factor = fill(inverse)
    for f in range(_0, width, STEP):
        store(out, target + f, load(part_of_row, f) * (load(x, source + f) - middle) * factor)
    return mean, inverse


@lean_part
def normalise_row_backward(unit, place, inverse, gradient, source, out, target, width, count):
    """The gradient of the input of `normalise_row`, from its result `unit` and the gradient of that.

    What is no part of the row must be zero in that gradient; it is any number in the one that is made.
    """
    plain = along = fill(ZERO)
    for f in range(_0, width, STEP):
        d = load(gradient, source + f)
        plain, along = plain + d, multiply_add(d, load(unit, place + f), along)
    middle, slope, factor = fill(sum_of(plain) / count), fill(sum_of(along) / count), fill(inverse)
    for f in range(_0, width, STEP):
        d = load(gradient, source + f) - middle - load(unit, place + f) * slope
        store(out, target + f, d * factor)
