"""Products with matrices so small that they stay in the cache: faster than BLAS, which first copies them.

A matrix is packed once, in panels of columns. Where columns don't fill the last panel, it begins further left, over
columns that the one before has, too. A tile of a product is as many sums as the machine's registers hold: `ROWS` x
`TOGETHER` panels. A sum goes along its products one by one, whatever the tile, so it is the same number on all machines
that round alike.
"""

from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils, config

from narlab.common.compiling import compiled
from narlab.kernels.numerics import aligned, flat, inner, instruction, lean, smaller

PANEL = 16  # columns
FEATURES: str = vars(config)["CPU_FEATURES"] or binding.get_host_cpu_features().flatten()
ROWS, TOGETHER = (8, 2) if "+avx512f" in FEATURES else (6, 1)
BLOCK = 2 * TOGETHER * PANEL  # columns of which two rows stay in the registers
_NUMBERS, _PLACE, _INDEX = ir.VectorType(ir.FloatType(), PANEL), ir.IntType(64), ir.IntType(32)
_place = types.uint64
COLUMNS = PANEL  # of a panel; a result with fewer is made number by number
CHUNK = np.uint64(64)  # rows of two matrices that stay in the first cache
_0, _1, _ROWS, _PANEL, _TOGETHER = map(np.uint64, (0, 1, ROWS, PANEL, TOGETHER * PANEL))


def tile_of(panels: int) -> Any:
    """The code of a tile of so many panels, as a function that only compiled code calls.

    All of its arrays are taken as flat, all of its numbers are unsigned. Arguments:

    - left: its numbers are multiplied with rows of `right`;
    - rows: the first row of the tile, the last that there is, which a tile at the end has several times, and where the
      rows of `left` begin in it;
    - steps: how far apart rows of `left`, its numbers along a sum, and rows of `right`, `start` and `out` are;
    - depth: how many products are in a sum;
    - right, places: the panels, and where they begin;
    - columns: where they begin in rows of `start`, `lowest` and `out`;
    - done: so many columns of the last panel are there already, and stay as they are;
    - start, lowest, out: what sums begin with, what they are at least, and where they are written.
    """

    @instruction
    def tile(typing, left, rows, steps, depth, right, places, columns, done, start, lowest, out):
        def build(context, builder, signature, arguments):
            tile = _Tile(context, builder, signature, arguments)
            tile.multiply()
            tile.write()
            return context.get_dummy_value()

        of_panels = types.UniTuple(_place, panels)
        kinds = (types.UniTuple(_place, 3), types.UniTuple(_place, 5), _place, right, of_panels, of_panels, _place)
        return types.void(left, *kinds, start, lowest, out), build

    return tile


class _Tile:
    """The code of one tile, in the making."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        _, rows, steps, self.depth, _, places, columns, self.done, *_ = arguments
        self.builder, self.code = builder, _Code(builder)
        left, right, start, self.lowest, self.out = (
            context.make_array(signature.args[k])(context, builder, arguments[k]).data for k in (0, 4, 8, 9, 10)
        )
        left_row, self.left_step, self.right_step, start_row, self.out_row = self._parts(steps)
        top, last, begin = self._parts(rows)
        numbers = [builder.add(top, ir.Constant(_PLACE, r)) for r in range(ROWS)]
        self.rows = [builder.select(builder.icmp_unsigned("<", row, last), row, last) for row in numbers]
        self.columns = self._parts(columns)
        self.of_rows = [builder.gep(left, [builder.add(begin, builder.mul(row, left_row))]) for row in self.rows]
        self.panels = [builder.gep(right, [place]) for place in self._parts(places)]
        starts = [builder.mul(row, start_row) for row in self.rows]
        places = [[builder.add(place, column) for column in self.columns] for place in starts]
        self.sums = [
            [cgutils.alloca_once_value(builder, self.code.load(start, place)) for place in of_row] for of_row in places
        ]

    def multiply(self) -> None:
        """Add all products to the sums."""
        builder = self.builder
        with cgutils.for_range(builder, self.depth, intp=_PLACE) as loop:
            along, below = (builder.mul(loop.index, step) for step in (self.left_step, self.right_step))
            numbers = [self.code.load(panel, below) for panel in self.panels]
            for of_row, sums in zip(self.of_rows, self.sums, strict=True):
                factor = self.code.spread(builder.load(builder.gep(of_row, [along])))
                for number, total in zip(numbers, sums, strict=True):
                    builder.store(self.code.multiply_add(factor, number, builder.load(total)), total)

    def write(self) -> None:
        """Write the sums, none of them below the lowest."""
        builder = self.builder
        columns = ir.Constant(ir.VectorType(_INDEX, PANEL), list(range(PANEL)))
        is_new = builder.icmp_unsigned(">=", columns, self.code.spread(builder.trunc(self.done, _INDEX)))
        for row, sums in zip(self.rows, self.sums, strict=True):
            for column, total in zip(self.columns, map(builder.load, sums), strict=True):
                low, place = self.code.load(self.lowest, column), builder.add(builder.mul(row, self.out_row), column)
                total = builder.select(builder.fcmp_ordered(">", low, total), low, total)
                if column is self.columns[-1]:
                    total = builder.select(is_new, total, self.code.load(self.out, place))
                self.code.store(total, self.out, place)

    def _parts(self, numbers: Any) -> list:
        return [self.builder.extract_value(numbers, k) for k in range(len(numbers.type.elements))]


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
        code = _Code(builder)
        parts = [builder.add(own, ir.Constant(_PLACE, part)) for part in range(0, BLOCK, PANEL)]
        rows = [code.load(row, part) for part in parts]
        sums = [cgutils.alloca_once_value(builder, code.load(d_row, part)) for part in parts]
        with cgutils.for_range(builder, count, intp=_PLACE) as loop:
            place = builder.add(first, builder.mul(loop.index, step))
            factor = code.spread(builder.load(builder.gep(given, [place])))
            number = builder.sub(builder.sext(builder.load(builder.gep(chosen, [place])), _PLACE), zero)
            begin = builder.add(builder.mul(number, step), column)
            for part, (numbers, total) in enumerate(zip(rows, sums, strict=True)):
                at = builder.add(begin, ir.Constant(_PLACE, part * PANEL))
                code.store(code.multiply_add(factor, numbers, code.load(d_x, at)), d_x, at)
                builder.store(code.multiply_add(factor, code.load(x, at), builder.load(total)), total)
        for part, total in zip(parts, sums, strict=True):
            code.store(builder.load(total), d_row, part)
        return context.get_dummy_value()

    return types.void(share, winner, types.UniTuple(_place, 6), x, d_x, row, d_row), build


class _Code:
    """Instructions on `PANEL` numbers at once."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder

    def load(self, array: Any, place: Any) -> Any:
        return self.builder.load(self._address(array, place), align=4)

    def store(self, value: Any, array: Any, place: Any) -> None:
        self.builder.store(value, self._address(array, place), align=4)

    def spread(self, number: Any) -> Any:
        """A number in all places."""
        empty = ir.Constant(ir.VectorType(number.type, PANEL), ir.Undefined)
        first = self.builder.insert_element(empty, number, ir.Constant(_INDEX, 0))
        return self.builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(_INDEX, PANEL), [0] * PANEL))

    def multiply_add(self, left: Any, right: Any, total: Any) -> Any:
        kind = ir.FunctionType(_NUMBERS, [_NUMBERS] * 3)
        name = f"llvm.fmuladd.v{PANEL}f32"
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), [left, right, total])

    def _address(self, array: Any, place: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(array, [place]), _NUMBERS.as_pointer())


_single, _double = tile_of(1), tile_of(2)


@lean
def multiply(x, panels, start, stride, lowest, out):
    """out = x matrix + start, and at least the row `lowest`; rows of the flat `start` are `stride` apart, 0 for one.

    panels: the matrix as `panels_of` packs it. Rows of `x` may be longer than it is deep. `start` may be `out`.
    """
    many, depth, width = np.uint64(x.shape[0]), np.uint64(panels.shape[1]), np.uint64(out.shape[1])
    if width < _PANEL:
        _multiply_narrow(x, panels, start, stride, lowest, out)
        return
    steps = (np.uint64(x.shape[1]), _1, _PANEL, np.uint64(stride), width)
    for top in range(_0, many, _ROWS):
        _row_of_tiles(x, (top, many - _1, _0), steps, depth, panels, (depth, _0, _0), start, lowest, out)


@lean
def add_transposed_product(left, right, total, unbounded):
    """Add left' right to `total`, which has a row for each of the first columns of `left`.

    unbounded: a row of minus infinity, at least as long as those of `total`.
    """
    many, rows, width = np.uint64(left.shape[0]), np.uint64(total.shape[0]), np.uint64(right.shape[1])
    length = np.uint64(left.shape[1])
    if width < _PANEL:
        _add_narrow_product(left, right, total)
        return
    steps = (_1, length, width, width, width)
    for first in range(_0, many, CHUNK):
        depth, begin = smaller(CHUNK, many - first), first * length
        for top in range(_0, rows, _ROWS):
            place = (_0, _1, first * width)
            _row_of_tiles(left, (top, rows - _1, begin), steps, depth, right, place, total, unbounded, total)


@lean
def _row_of_tiles(left, rows, steps, depth, right, place, start, lowest, out):
    """All columns of the rows of a tile; see `tile_of`.

    place: of a panel in `right`: how far it goes on by a column of the panels, by a column of the result, and where the
    first is.
    """
    width, (by_panel, by_column, begin) = np.uint64(out.shape[1]), place
    for first in range(_0, width, _TOGETHER):
        column, second = smaller(first, width - _PANEL), first + _PANEL
        at = begin + first * by_panel + column * by_column
        if TOGETHER == 2 and second < width:
            other = smaller(second, width - _PANEL)
            places = (at, begin + second * by_panel + other * by_column)
            _double(left, rows, steps, depth, right, places, (column, other), second - other, start, lowest, out)
        else:
            _single(left, rows, steps, depth, right, (at,), (column,), first - column, start, lowest, out)


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
