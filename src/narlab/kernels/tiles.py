"""Tiles of matrix products: as many sums at once as the machine's registers hold.

A tile is `ROWS` x `TOGETHER` panels of `PANEL` columns. A sum goes along its products one by one, whatever the tile, and
so is the same number on all machines that round alike.
"""

from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

PANEL = 16  # columns
FEATURES = config.CPU_FEATURES or binding.get_host_cpu_features().flatten()
ROWS, TOGETHER = (8, 2) if "+avx512f" in FEATURES else (6, 1)
_NUMBERS, _PLACE, _INDEX = ir.VectorType(ir.FloatType(), PANEL), ir.IntType(64), ir.IntType(32)
_place = types.uint64


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

    @intrinsic
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
        self.builder = builder
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
        self.sums = [
            [
                cgutils.alloca_once_value(builder, self._load(start, builder.add(builder.mul(row, start_row), column)))
                for column in self.columns
            ]
            for row in self.rows
        ]

    def multiply(self) -> None:
        """Add all products to the sums."""
        builder = self.builder
        kind = ir.FunctionType(_NUMBERS, [_NUMBERS] * 3)
        multiply_add = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fmuladd.v{PANEL}f32")
        with cgutils.for_range(builder, self.depth, intp=_PLACE) as loop:
            along, below = (builder.mul(loop.index, step) for step in (self.left_step, self.right_step))
            numbers = [self._load(panel, below) for panel in self.panels]
            for of_row, sums in zip(self.of_rows, self.sums, strict=True):
                factor = self._spread(builder.load(builder.gep(of_row, [along])))
                for number, total in zip(numbers, sums, strict=True):
                    builder.store(builder.call(multiply_add, [factor, number, builder.load(total)]), total)

    def write(self) -> None:
        """Write the sums, none of them below the lowest."""
        builder = self.builder
        columns = ir.Constant(ir.VectorType(_INDEX, PANEL), list(range(PANEL)))
        is_new = builder.icmp_unsigned(">=", columns, self._spread(builder.trunc(self.done, _INDEX)))
        for row, sums in zip(self.rows, self.sums, strict=True):
            for column, total in zip(self.columns, map(builder.load, sums), strict=True):
                low, place = self._load(self.lowest, column), builder.add(builder.mul(row, self.out_row), column)
                total = builder.select(builder.fcmp_ordered(">", low, total), low, total)
                if column is self.columns[-1]:
                    total = builder.select(is_new, total, self._load(self.out, place))
                builder.store(total, self._address(self.out, place), align=4)

    def _parts(self, numbers: Any) -> list:
        return [self.builder.extract_value(numbers, k) for k in range(len(numbers.type.elements))]

    def _address(self, array: Any, place: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(array, [place]), _NUMBERS.as_pointer())

    def _load(self, array: Any, place: Any) -> Any:
        return self.builder.load(self._address(array, place), align=4)

    def _spread(self, number: Any) -> Any:
        kind = ir.VectorType(number.type, PANEL)
        empty = ir.Constant(kind, ir.Undefined)
        first = self.builder.insert_element(empty, number, ir.Constant(_INDEX, 0))
        return self.builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(_INDEX, PANEL), [0] * PANEL))
