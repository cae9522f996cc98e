"""Lanes: a few numbers that one instruction works on, as a type of the compiler's.

The compiler makes poor vector code of loops over short rows: row by row it has to provide for arrays that overlap and
for rows shorter than a vector. With lanes a loop says what is done at once, and sums stay in registers.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import models, overload, register_model

from narlab.kernels.numerics import HALF, HIGHEST, LN2_HIGH, LN2_LOW, LOG2_E, LOWEST, ONE, ZERO, instruction, lean_part

LANES = 8  # half of the channels of the usual triangle processor
TWICE = 2 * LANES  # where lanes lie side by side: one instruction with AVX-512, two with AVX2, the same numbers
STEP, WIDE_STEP = np.uint64(LANES), np.uint64(TWICE)
_NUMBERS, _INTS = (
    {count: ir.VectorType(kind, count) for count in (LANES, TWICE)} for kind in (ir.FloatType(), ir.IntType(32))
)


class Lanes(types.Type):
    """So many numbers of single precision."""

    def __init__(self, count):
        super().__init__(f"Lanes({count})")
        self.count = count


lanes, wide = Lanes(LANES), Lanes(TWICE)


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _NUMBERS[kind.count])


def _address(context, builder, kind, array, place):
    return builder.gep(context.make_array(kind)(context, builder, array).data, [place])


def _load(context, builder, signature, arguments, count):
    address = _address(context, builder, signature.args[0], *arguments)
    return builder.load(builder.bitcast(address, _NUMBERS[count].as_pointer()), align=4)


def _fill(builder, number, count):
    empty = ir.Constant(_NUMBERS[count], ir.Undefined)
    first = builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
    return _places(builder, first, [0] * count)


def _places(builder, value, places):
    """What a vector has in these places."""
    return builder.shuffle_vector(value, value, ir.Constant(ir.VectorType(ir.IntType(32), len(places)), places))


def _call(builder, name, *values):
    numbers = values[0].type
    kind = ir.FunctionType(numbers, [numbers] * len(values))
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"{name}.v{numbers.count}f32"), values)


@instruction
def load(typing, x, place):
    """The numbers of the flat array `x` from `place` on."""

    def build(context, builder, signature, arguments):
        return _load(context, builder, signature, arguments, LANES)

    return lanes(x, types.uint64), build


@instruction
def load_wide(typing, x, place):
    """Twice as many numbers from `place` on."""

    def build(context, builder, signature, arguments):
        return _load(context, builder, signature, arguments, TWICE)

    return wide(x, types.uint64), build


@instruction
def load_twice(typing, x, place):
    """The numbers from `place` on, and beside them the same."""

    def build(context, builder, signature, arguments):
        return _places(builder, _load(context, builder, signature, arguments, LANES), [*range(LANES)] * 2)

    return wide(x, types.uint64), build


@instruction
def first_half(typing, value):
    def build(context, builder, signature, arguments):
        return _places(builder, arguments[0], [*range(LANES)])

    return lanes(wide), build


@instruction
def second_half(typing, value):
    def build(context, builder, signature, arguments):
        return _places(builder, arguments[0], [*range(LANES, TWICE)])

    return lanes(wide), build


@instruction
def store(typing, x, place, value):
    """Write lanes to the flat array `x` from `place` on."""

    def build(context, builder, signature, arguments):
        address = _address(context, builder, signature.args[0], *arguments[:2])
        builder.store(arguments[2], builder.bitcast(address, _NUMBERS[LANES].as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(x, types.uint64, lanes), build


@instruction
def store_whole(typing, x, place, value):
    """Write lanes that are whole numbers to the flat array `x` of 16-bit integers."""

    def build(context, builder, signature, arguments):
        whole = ir.VectorType(ir.IntType(16), LANES)
        address = _address(context, builder, signature.args[0], *arguments[:2])
        numbers = builder.trunc(builder.fptosi(arguments[2], _INTS[LANES]), whole)
        builder.store(numbers, builder.bitcast(address, whole.as_pointer()), align=2)
        return context.get_dummy_value()

    return types.void(x, types.uint64, lanes), build


@instruction
def fill(typing, number):
    """The same number in all lanes."""

    def build(context, builder, signature, arguments):
        return _fill(builder, arguments[0], LANES)

    return lanes(types.float32), build


@instruction
def fill_wide(typing, number):
    """The same number in all of twice as many."""

    def build(context, builder, signature, arguments):
        return _fill(builder, arguments[0], TWICE)

    return wide(types.float32), build


@instruction
def spread(typing, x, place):
    """The number x[place] in all lanes."""

    def build(context, builder, signature, arguments):
        return _fill(builder, builder.load(_address(context, builder, signature.args[0], *arguments)), LANES)

    return lanes(x, types.uint64), build


@instruction
def pick(typing, left, right, value, other):
    """`value` where left > right, elsewhere `other`."""

    def build(context, builder, signature, arguments):
        left, right, value, other = arguments
        return builder.select(builder.fcmp_ordered(">", left, right), value, other)

    return left(left, left, left, left), build


@instruction
def multiply_add(typing, left, right, total):
    """left right + total, rounded once where the machine can."""

    def build(context, builder, signature, arguments):
        return _call(builder, "llvm.fmuladd", *arguments)

    return left(left, left, left), build


@instruction
def sum_of(typing, value):
    """The sum of all lanes."""

    def build(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.FloatType(), [ir.FloatType(), _NUMBERS[LANES]])
        add = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.fadd.v{LANES}f32")
        return builder.call(add, [ir.Constant(ir.FloatType(), 0.0), arguments[0]], fastmath=("reassoc",))

    return types.float32(lanes), build


@instruction
def floor(typing, value):
    def build(context, builder, signature, arguments):
        return _call(builder, "llvm.floor", arguments[0])

    return lanes(lanes), build


@instruction
def power_of_two(typing, exponent):
    """2 to a whole power."""

    def build(context, builder, signature, arguments):
        bias, shift = (ir.Constant(_INTS[LANES], [number] * LANES) for number in (127, 23))
        exponent = builder.fptosi(arguments[0], _INTS[LANES])
        return builder.bitcast(builder.shl(builder.add(exponent, bias), shift), _NUMBERS[LANES])

    return lanes(lanes), build


def _offer(operation, name):
    """Make an operator of Python's work on lanes."""

    @instruction
    def operate(typing, left, right):
        def build(context, builder, signature, arguments):
            return getattr(builder, name)(*arguments)

        return left(left, left), build

    @overload(operation)
    def offered(left, right):
        return (lambda left, right: operate(left, right)) if isinstance(left, Lanes) and left is right else None


for _operation, _name in zip(
    (operator.add, operator.sub, operator.mul, operator.truediv), ("fadd", "fsub", "fmul", "fdiv"), strict=True
):
    _offer(_operation, _name)


@lean_part
def larger(left, right):
    """If one of them is NaN, the right one."""
    return pick(left, right, left, right)


@lean_part
def rectified(x):
    """The larger of zero and `x`, NaN if `x` is."""
    return larger(fill(ZERO), x)


@lean_part
def sigmoid_of(x):
    """1 / (1 + exp(-x)), with the power as in `numerics.exponential`."""
    x = larger(fill(LOWEST), fill(ZERO) - x)
    x = pick(x, fill(HIGHEST), fill(HIGHEST), x)
    k = floor(multiply_add(x, fill(LOG2_E), fill(HALF)))
    r = multiply_add(k, fill(-LN2_LOW), multiply_add(k, fill(-LN2_HIGH), x))
    p = multiply_add(fill(np.float32(1.9875691500e-4)), r, fill(np.float32(1.3981999507e-3)))
    p = multiply_add(p, r, fill(np.float32(8.3334519073e-3)))
    p = multiply_add(p, r, fill(np.float32(4.1665795894e-2)))
    p = multiply_add(p, r, fill(np.float32(1.6666665459e-1)))
    p = multiply_add(p, r, fill(np.float32(5.0000001201e-1)))
    p = multiply_add(p * r, r, r + fill(ONE))
    return fill(ONE) / multiply_add(p, power_of_two(k), fill(ONE))
