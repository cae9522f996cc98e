"""Copies of arrays in wider dtypes, written past the cache: that is two or three times as fast as through it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from narlab.common.compiling import compiled, jitted

__all__ = ["NARROW", "widen", "widen_all"]

LINE = 64  # bytes that the cache holds together
WIDE = 8  # bytes of a wide value
LANES = LINE // WIDE
instruction: Any = intrinsic  # a caller leaves out the first argument, which its type does not know
NARROW = ("int8", "int16", "float64")  # dtypes that `widen_all` takes, in the order of its arguments


def widen(source: np.ndarray, target: np.ndarray) -> None:
    """Copy `source` to `target` of a wider dtype; both are contiguous and have the same shape."""
    if target.dtype.itemsize == WIDE and (source.dtype.kind == "i" or source.dtype == target.dtype):
        _widen(source.reshape(-1), target.reshape(-1))
    else:
        target[...] = source


@instruction
def write_line(_: Any, source: Any, begin: Any, target: Any, goal: Any) -> tuple[Any, Callable]:
    """target[goal : goal + LANES] = source[begin : begin + LANES], a whole line that does not stay in the cache."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: tuple) -> Any:
        def lanes(array: Any, value: Any, index: Any) -> tuple[Any, ir.VectorType]:
            vector = ir.VectorType(context.get_data_type(array.dtype), LANES)
            first = builder.gep(context.make_array(array)(context, builder, value).data, [index])
            return builder.bitcast(first, vector.as_pointer()), vector

        place, _ = lanes(source, *arguments[:2])
        values = builder.load(place, align=source.dtype.bitwidth // 8)
        place, vector = lanes(target, *arguments[2:])
        if source.dtype != target.dtype:
            values = (builder.sitofp if isinstance(target.dtype, types.Float) else builder.sext)(values, vector)
        store = builder.store(values, place, align=LINE)
        store.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)]))
        return context.get_dummy_value()

    return types.void(source, begin, target, goal), generate


@instruction
def end_of_lines(_: Any) -> tuple[Any, Callable]:
    """From here on other threads see what was written."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: tuple) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


@jitted
def copy_lines(source, begin, target, goal, count):
    """target[goal : goal + count] = source[begin : begin + count], whole lines past the cache."""
    before = min(-(target.ctypes.data // WIDE + goal) % LANES, count)
    behind = before + (count - before) // LANES * LANES
    for i in range(before):
        target[goal + i] = source[begin + i]
    for i in range(before, behind, LANES):
        write_line(source, begin + i, target, goal + i)
    for i in range(behind, count):
        target[goal + i] = source[begin + i]


@compiled
def _widen(source, target):
    copy_lines(source, 0, target, 0, len(target))
    end_of_lines()


@compiled
def widen_all(table, start, count, bytes_, words, numbers, target):
    """Copy `count` samples of many arrays to `target`, behind `start` samples that are there.

    Each array's samples lie behind each other, both in the source and in the `target`. A row of `table` is an array:
    the number of its dtype in `NARROW`, where it begins in the source of this dtype, the size of a sample, and where it
    begins in the target.
    """
    for k in range(len(table)):
        dtype, begin, size, goal = table[k]
        goal += start * size
        if dtype == 0:
            copy_lines(bytes_, begin, target, goal, count * size)
        elif dtype == 1:
            copy_lines(words, begin, target, goal, count * size)
        else:
            copy_lines(numbers, begin, target, goal, count * size)
    end_of_lines()
