"""Small numerical steps that the kernels share, written so that the compiler makes vector code of them.

They keep a NaN a NaN, so that a run that diverges is seen.
"""

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from narlab.common.compiling import part_of

QUICK = {"reassoc", "contract", "nsz", "arcp"}  # sums in any order; no word about NaN and infinity
kernel = part_of(fastmath=QUICK)
part = part_of(fastmath=QUICK, forceinline=True)
inner = part_of(fastmath=QUICK)
"""A function that only compiled code calls."""
lean = part_of(fastmath=QUICK, _nrt=False)
"""The same if it makes and returns no array: it does not count references to those that it is given, and so is compiled
three times faster."""
lean_part = part_of(fastmath=QUICK, _nrt=False, forceinline=True)
instruction: Any = intrinsic  # a caller leaves out the first argument, which its type does not know

EPSILON = np.float32(1e-5)  # of the layer normalisation
ZERO, ONE, HALF = np.float32(0), np.float32(1), np.float32(0.5)
LINE = 16  # numbers in a line of the cache
LOG2_E = np.float32(1.4426950408889634)
LN2_HIGH, LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
LOWEST, HIGHEST = np.float32(-87.0), np.float32(88.0)
GELU_A, GELU_B = np.float32(0.7978845608028654), np.float32(0.044715)  # sqrt(2 / pi), and the cubic term's factor


@instruction
def flat(typing, x):
    """All numbers of a contiguous array in one row; it is borrowed: no reference is counted.

    Loops over rows go by unsigned places in it: with two signed indices per number the compiler has to provide for
    negative ones, and makes code that is ten times slower.
    """

    def build(context, builder, signature, arguments):
        given = context.make_array(signature.args[0])(context, builder, arguments[0])
        out, size = context.make_array(signature.return_type)(context, builder), given.nitems
        populate_array(
            out,
            data=given.data,
            shape=cgutils.pack_array(builder, [size]),
            strides=cgutils.pack_array(builder, [given.itemsize]),
            itemsize=given.itemsize,
            meminfo=cgutils.get_null_value(given.meminfo.type),
        )
        return out._getvalue()

    return types.Array(x.dtype, 1, "C")(x), build


@lean_part
def row_start(index, width):
    """The place in `flat` where row `index` begins."""
    return np.uint64(index) * np.uint64(width)


@lean_part
def smaller(left, right):
    return left if left < right else right


@inner
def aligned(rows, width):
    """Room for rows of numbers that begins at a line of the cache, so that what is a line wide lies in one."""
    room = np.empty(rows * width + LINE, np.float32)
    first = -(room.ctypes.data // room.itemsize) % LINE
    return room[first : first + rows * width].reshape(rows, width)


@part
def copy_row(x, source, out, target, width):
    for f in range(np.uint64(width)):
        out[target + f] = x[source + f]


@part
def add_row(x, source, out, target, width):
    for f in range(np.uint64(width)):
        out[target + f] += x[source + f]


@part
def add_multiple(factor, x, source, out, target, width):
    for f in range(np.uint64(width)):
        out[target + f] += factor * x[source + f]


@part
def exponential(x):
    """e to the power x to seven digits: 2**k times a polynomial (the one of Cephes' expf)."""
    x = LOWEST if x < LOWEST else x
    x = HIGHEST if x > HIGHEST else x
    k = np.floor(x * LOG2_E + HALF)
    r = x - k * LN2_HIGH - k * LN2_LOW
    p = np.float32(1.9875691500e-4)
    p = p * r + np.float32(1.3981999507e-3)
    p = p * r + np.float32(8.3334519073e-3)
    p = p * r + np.float32(4.1665795894e-2)
    p = p * r + np.float32(1.6666665459e-1)
    p = p * r + np.float32(5.0000001201e-1)
    p = p * r * r + r + ONE
    return p * np.int32((np.int32(k) + np.int32(127)) << np.int32(23)).view(np.float32)


@part
def sigmoid(x):
    return ONE / (ONE + exponential(-x))


@part
def gelu(x):
    """The tanh form: x / 2 (1 + tanh u) = x sigmoid(2 u)."""
    u = GELU_A * (x + GELU_B * x * x * x)
    return x * sigmoid(u + u)


@part
def gelu_slope(x):
    """The derivative of `gelu`."""
    u = GELU_A * (x + GELU_B * x * x * x)
    s = sigmoid(u + u)
    slope = GELU_A * (ONE + np.float32(3) * GELU_B * x * x)
    return s + x * s * (ONE - s) * (slope + slope)


@part
def moments(x, row, width):
    """The mean of the row that begins at place `row` of a flat array, and one over its standard deviation."""
    count, total = np.float32(width), ZERO
    for f in range(width):
        total += x[row + f]
    mean = total / count
    squares = ZERO
    for f in range(width):
        squares += (x[row + f] - mean) * (x[row + f] - mean)
    return mean, ONE / np.sqrt(squares / count + EPSILON)


@kernel
def normalise(x, scale, offset, out):
    """The layer normalisation of each row of `x`."""
    rows, width = len(x), np.uint64(x.shape[1])
    x, out = flat(x), flat(out)
    for i in range(rows):
        row = row_start(i, width)
        mean, inverse = moments(x, row, width)
        for f in range(width):
            out[row + f] = (x[row + f] - mean) * inverse * scale[f] + offset[f]


@kernel
def normalise_backward(x, scale, gradient, d_scale, d_offset):
    """Turn the `gradient` of `normalise`'s output into that of its input; add to those of scale and offset."""
    rows, width = len(x), np.uint64(x.shape[1])
    x, gradient, count = flat(x), flat(gradient), np.float32(width)
    for i in range(rows):
        row = row_start(i, width)
        mean, inverse = moments(x, row, width)
        plain, along = ZERO, ZERO
        for f in range(width):
            plain += gradient[row + f] * scale[f]
            along += gradient[row + f] * scale[f] * (x[row + f] - mean)
        plain, along = plain / count, along * inverse / count
        for f in range(width):
            d_scale[f] += gradient[row + f] * (x[row + f] - mean) * inverse
        for f in range(width):
            d_offset[f] += gradient[row + f]
        for f in range(width):
            unit = (x[row + f] - mean) * inverse
            gradient[row + f] = inverse * (gradient[row + f] * scale[f] - plain - unit * along)


@kernel
def add_product(left, right, total, scratch):
    """Add left' right to `total`."""
    np.dot(left.T, right, scratch)
    for i in range(total.shape[0]):
        for j in range(total.shape[1]):
            total[i, j] += scratch[i, j]


@kernel
def add_rows(x, total):
    """Add the rows of `x` to the row `total`."""
    numbers = flat(x)
    for i in range(x.shape[0]):
        add_row(numbers, row_start(i, x.shape[1]), total, np.uint64(0), x.shape[1])
