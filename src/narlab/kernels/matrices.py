"""Products with matrices so small that they stay in the cache: faster than BLAS, which first copies them.

A matrix is packed once, in panels of columns. Where columns don't fill the last panel, it begins further left, over
columns that the one before has, too; so does the last tile of rows of a transposed product. See `tiles`.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from narlab.common.compiling import compiled
from narlab.kernels.numerics import aligned, flat, inner, instruction, lean, lean_part, smaller
from narlab.kernels.tiles import PANEL, PLACE, ROWS, TOGETHER, Code, tile_of, transposed_tile_of

BLOCK = 2 * TOGETHER * PANEL  # columns of which two rows stay in the registers
COLUMNS = PANEL  # of a panel; a result with fewer is made number by number
CHUNK = np.uint64(64)  # rows of two matrices that stay in the first cache
_0, _1, _ROWS, _PANEL, _TOGETHER = map(np.uint64, (0, 1, ROWS, PANEL, TOGETHER * PANEL))


@instruction
def share_with_winners(typing, share, winner, places, x, d_x, row, d_row):
    """For all j: add share_j row to d_x at the winner of j, and share_j x of that winner to `d_row`, `BLOCK` columns.

    All arrays are taken as flat. `places` are unsigned: of the first share and the first winner; how far apart they are
    and rows of `x` and `d_x`, too; how many there are; the number of the winner that has the first row of `x`; where
    the block begins in rows of `x`; where it begins in `row` and `d_row`.
    """

    def build(context, builder, signature, arguments):
        given, chosen, x, d_x, row, d_row = (
            context.make_array(signature.args[k])(context, builder, arguments[k]).data for k in (0, 1, 3, 4, 5, 6)
        )
        first, step, count, zero, column, own = (builder.extract_value(arguments[2], k) for k in range(6))
        code = Code(builder)
        parts = [builder.add(own, ir.Constant(PLACE, part)) for part in range(0, BLOCK, PANEL)]
        rows = [code.load(row, part) for part in parts]
        sums = [cgutils.alloca_once_value(builder, code.load(d_row, part)) for part in parts]
        with cgutils.for_range(builder, count, intp=PLACE) as loop:
            place = builder.add(first, builder.mul(loop.index, step))
            factor = code.spread(builder.load(builder.gep(given, [place])))
            number = builder.sub(builder.sext(builder.load(builder.gep(chosen, [place])), PLACE), zero)
            begin = builder.add(builder.mul(number, step), column)
            for part, (numbers, total) in enumerate(zip(rows, sums, strict=True)):
                at = builder.add(begin, ir.Constant(PLACE, part * PANEL))
                code.store(code.multiply_add(factor, numbers, code.load(d_x, at)), d_x, at)
                builder.store(code.multiply_add(factor, code.load(x, at), builder.load(total)), total)
        for part, total in zip(parts, sums, strict=True):
            code.store(builder.load(total), d_row, part)
        return context.get_dummy_value()

    return types.void(share, winner, types.UniTuple(types.uint64, 6), x, d_x, row, d_row), build


_single, _double = tile_of(1), tile_of(2)
_transposed_single, _transposed_double = transposed_tile_of(1), transposed_tile_of(2)


@lean
def multiply(x, panels, start, stride, lowest, out):
    """out = x matrix + start, and at least the row `lowest`; rows of the flat `start` are `stride` apart, 0 for one.

    panels: the matrix as `panels_of` packs it. Rows of `x` may be longer than it is deep. `start` may be `out`.
    """
    many, depth, width = np.uint64(x.shape[0]), np.uint64(panels.shape[1]), np.uint64(out.shape[1])
    if width < _PANEL:
        _multiply_narrow(x, panels, start, stride, lowest, out)
        return
    steps = (np.uint64(x.shape[1]), np.uint64(stride), width)
    for top in range(_0, many, _ROWS):
        rows = (top, many - _1)
        for first in range(_0, width, _TOGETHER):
            column, second, other = columns_from(first, width)
            at = first * depth
            if TOGETHER == 2 and second < width:
                places, columns = (at, second * depth), (column, other)
                _double(x, rows, steps, depth, panels, places, columns, second - other, start, lowest, out)
            else:
                _single(x, rows, steps, depth, panels, (at,), (column,), first - column, start, lowest, out)


@lean_part
def columns_from(first, width):
    """Where the columns of the panel that is to begin at `first` do begin, the next panel, and where that does."""
    second = first + _PANEL
    return smaller(first, width - _PANEL), second, smaller(second, width - _PANEL)


@lean
def add_transposed_product(left, right, total):
    """Add left' right to `total`, which has a row for each of the first columns of `left`."""
    many, rows, width = np.uint64(left.shape[0]), np.uint64(total.shape[0]), np.uint64(right.shape[1])
    if width < _PANEL or rows < _ROWS:
        _add_narrow_product(left, right, total)
        return
    steps = (np.uint64(left.shape[1]), width)
    for chunk in range(_0, many, CHUNK):
        depth, begin, here = smaller(CHUNK, many - chunk), chunk * steps[0], chunk * width
        for place in range(_0, rows, _ROWS):
            top = smaller(place, rows - _ROWS)
            lines = (top, place - top)
            for first in range(_0, width, _TOGETHER):
                column, second, other = columns_from(first, width)
                if TOGETHER == 2 and second < width:
                    places, columns = (here + column, here + other), (column, other)
                    _transposed_double(left, lines, begin, steps, depth, right, places, columns, second - other, total)
                else:
                    _transposed_single(
                        left, lines, begin, steps, depth, right, (here + column,), (column,), first - column, total
                    )


@lean
def _multiply_narrow(x, panels, start, stride, lowest, out):
    first = flat(start)
    for i in range(len(x)):
        for f in range(out.shape[1]):
            total = first[i * stride + f]
            for k in range(panels.shape[1]):
                total += x[i, k] * panels[0, k, f]
            out[i, f] = lowest[f] if lowest[f] > total else total


@lean
def _add_narrow_product(left, right, total):
    for k in range(len(left)):
        for i in range(len(total)):
            for f in range(right.shape[1]):
                total[i, f] += left[k, i] * right[k, f]


@inner
def panels_of(matrix):
    """A matrix [K, C] in panels of columns one after the other, [panels, K, COLUMNS].

    The last two overlap where it has to be; a matrix of fewer than `COLUMNS` gets columns of zeros.
    """
    rows, width = matrix.shape
    count = (width + COLUMNS - 1) // COLUMNS
    panels = aligned(count * rows, COLUMNS).reshape(count, rows, COLUMNS)
    panels[:] = 0
    for p in range(len(panels)):
        first = max(0, min(p * COLUMNS, width - COLUMNS))
        for k in range(rows):
            for f in range(min(COLUMNS, width)):
                panels[p, k, f] = matrix[k, first + f]
    return panels


@compiled
def in_panels(matrix):
    """`panels_of` as a function of Python's."""
    return panels_of(matrix)
