"""Small steps on rows of flat arrays, a multiple of `LANES` wide: copies, sums, layer normalisation.

A row is given by its array and the place where it begins.
"""

import numpy as np

from narlab.kernels.lanes import STEP, fill, load, multiply_add, store, sum_of
from narlab.kernels.numerics import EPSILON, ONE, ZERO, part

_0 = np.uint64(0)


@part
def copy_lanes(x, source, out, target, width):
    for f in range(_0, np.uint64(width), STEP):
        store(out, target + f, load(x, source + f))


@part
def add_lanes(x, source, out, target, width):
    for f in range(_0, np.uint64(width), STEP):
        store(out, target + f, load(out, target + f) + load(x, source + f))


@part
def row_moments(x, place, width):
    """The mean of a row, and one over its standard deviation."""
    total = fill(ZERO)
    for f in range(_0, np.uint64(width), STEP):
        total = total + load(x, place + f)
    mean = sum_of(total) / np.float32(width)
    squares, middle = fill(ZERO), fill(mean)
    for f in range(_0, np.uint64(width), STEP):
        distance = load(x, place + f) - middle
        squares = multiply_add(distance, distance, squares)
    return mean, ONE / np.sqrt(sum_of(squares) / np.float32(width) + EPSILON)


@part
def normalise_row(x, source, moments, out, target, width):
    """The layer normalisation of a row by its moments, without scale and offset."""
    middle, factor = fill(moments[0]), fill(moments[1])
    for f in range(_0, np.uint64(width), STEP):
        store(out, target + f, (load(x, source + f) - middle) * factor)
