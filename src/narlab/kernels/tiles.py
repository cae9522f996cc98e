"""The code of products of matrices that stay in the cache, a tile of sums in the registers at a time.

A tile of a product is as many sums as the machine's registers hold: `ROWS` x `TOGETHER` panels of columns. A sum goes
along its products one by one, whatever the tile, so it is the same number on all machines that round alike.
"""

from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils, config

from narlab.kernels.numerics import instruction

PANEL = 16  # columns
FEATURES: str = vars(config)["CPU_FEATURES"] or binding.get_host_cpu_features().flatten()
ROWS, TOGETHER = (8, 2) if "+avx512f" in FEATURES else (6, 1)
PLACE = ir.IntType(64)
_NUMBERS, _INDEX = ir.VectorType(ir.FloatType(), PANEL), ir.IntType(32)
_place = types.uint64


def tile_of(panels: int) -> Any:
    """The code of a tile of so many panels, as a function that only compiled code calls.

    All of its arrays are taken as flat, all of its numbers are unsigned. Arguments:

    - left: its numbers are multiplied with rows of `right`;
    - rows: the first row of the tile, and the last that there is, which a tile at the end has several times;
    - steps: how far apart rows of `left`, `start` and `out` are;
    - depth: how many products are in a sum;
    - right, places: the panels, and where they begin;
    - columns: where they begin in rows of `start`, `lowest` and `out`;
    - done: so many columns of the last panel are there already, and stay as they are;
    - start, lowest, out: what sums begin with, what they are at least, and where they are written.
    """

    @instruction
    def tile(typing, left, rows, steps, depth, right, places, columns, done, start, lowest, out):
        def build(context, builder, signature, arguments):
            _Tile(context, builder, signature, arguments).build()
            return context.get_dummy_value()

        of_panels = types.UniTuple(_place, panels)
        kinds = (types.UniTuple(_place, 2), types.UniTuple(_place, 3), _place, right, of_panels, of_panels, _place)
        return types.void(left, *kinds, start, lowest, out), build

    return tile


def transposed_tile_of(panels: int) -> Any:
    """The same where columns of `left` are multiplied with rows of `right`, and sums are added to `out`.

    rows: the first column of `left`, and so many rows of the tile that are there already, and stay as they are; steps:
    how far apart rows of `left`, and of `right` and `out` are; begin: where rows of `left` begin in it.
    """

    @instruction
    def tile(typing, left, rows, begin, steps, depth, right, places, columns, done, out):
        def build(context, builder, signature, arguments):
            _TransposedTile(context, builder, signature, arguments).build()
            return context.get_dummy_value()

        of_panels = types.UniTuple(_place, panels)
        kinds = (types.UniTuple(_place, 2), _place, types.UniTuple(_place, 2), _place, right)
        return types.void(left, *kinds, of_panels, of_panels, _place, out), build

    return tile


class _AbstractTile:
    """The code of one tile, in the making.

    How far it is from a number of a sum to the next is a constant where it can be: else the compiler keeps so many
    places that it has too few registers for them, and products take a third longer.
    """

    of_rows: list  # where the rows of `left` begin
    left_step: Any  # from a number of a sum to the next, in `left`
    panels: list  # where those of `right` begin
    right_step: Any
    depth: Any
    sums: list

    def __init__(self, builder: Any) -> None:
        self.builder, self.code = builder, Code(builder)

    def build(self) -> None:
        self.multiply()
        self.write()

    def multiply(self) -> None:
        """Add all products to the sums."""
        builder = self.builder
        with cgutils.for_range(builder, self.depth, intp=PLACE) as loop:
            along, below = (builder.mul(loop.index, step) for step in (self.left_step, self.right_step))
            numbers = [self.code.load(panel, below) for panel in self.panels]
            for of_row, sums in zip(self.of_rows, self.sums, strict=True):
                factor = self.code.spread(builder.load(builder.gep(of_row, [along])))
                for number, total in zip(numbers, sums, strict=True):
                    builder.store(self.code.multiply_add(factor, number, builder.load(total)), total)

    def write(self) -> None:
        raise NotImplementedError

    def begin_sums(self, start: Any, rows: list, columns: list) -> None:
        places = [[self.builder.add(row, column) for column in columns] for row in rows]
        self.sums = [
            [cgutils.alloca_once_value(self.builder, self.code.load(start, place)) for place in of_row]
            for of_row in places
        ]

    def is_new(self, done: Any) -> Any:
        """Which columns of a panel are not there already."""
        columns = ir.Constant(ir.VectorType(_INDEX, PANEL), list(range(PANEL)))
        return self.builder.icmp_unsigned(">=", columns, self.code.spread(self.builder.trunc(done, _INDEX)))

    def parts(self, numbers: Any) -> list:
        return [self.builder.extract_value(numbers, k) for k in range(len(numbers.type.elements))]


class _Tile(_AbstractTile):
    """That of `tile_of`."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        super().__init__(builder)
        _, rows, steps, self.depth, _, places, columns, self.done, *_ = arguments
        left, right, start, self.lowest, self.out = (
            context.make_array(signature.args[k])(context, builder, arguments[k]).data for k in (0, 4, 8, 9, 10)
        )
        left_row, start_row, self.out_row = self.parts(steps)
        top, last = self.parts(rows)
        numbers = [builder.add(top, ir.Constant(PLACE, r)) for r in range(ROWS)]
        self.rows = [builder.select(builder.icmp_unsigned("<", row, last), row, last) for row in numbers]
        self.columns = self.parts(columns)
        self.of_rows = [builder.gep(left, [builder.mul(row, left_row)]) for row in self.rows]
        self.panels = [builder.gep(right, [place]) for place in self.parts(places)]
        self.left_step, self.right_step = ir.Constant(PLACE, 1), ir.Constant(PLACE, PANEL)
        self.begin_sums(start, [builder.mul(row, start_row) for row in self.rows], self.columns)

    def write(self) -> None:
        """Write the sums, none of them below the lowest."""
        builder = self.builder
        is_new, lowest = self.is_new(self.done), [self.code.load(self.lowest, column) for column in self.columns]
        for row, sums in zip(self.rows, self.sums, strict=True):
            for column, low, total in zip(self.columns, lowest, map(builder.load, sums), strict=True):
                place = builder.add(builder.mul(row, self.out_row), column)
                total = builder.select(builder.fcmp_ordered(">", low, total), low, total)
                if column is self.columns[-1]:
                    total = builder.select(is_new, total, self.code.load(self.out, place))
                self.code.store(total, self.out, place)


class _TransposedTile(_AbstractTile):
    """That of `transposed_tile_of`."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        super().__init__(builder)
        _, rows, begin, steps, self.depth, _, places, columns, self.done, _ = arguments
        left, right, self.out = (
            context.make_array(signature.args[k])(context, builder, arguments[k]).data for k in (0, 5, 9)
        )
        self.left_step, self.right_step = self.parts(steps)
        top, self.done_rows = self.parts(rows)
        first = builder.gep(left, [builder.add(begin, top)])
        self.of_rows = [builder.gep(first, [ir.Constant(PLACE, r)]) for r in range(ROWS)]
        self.panels = [builder.gep(right, [place]) for place in self.parts(places)]
        self.rows = [builder.mul(builder.add(top, ir.Constant(PLACE, r)), self.right_step) for r in range(ROWS)]
        self.columns = self.parts(columns)
        self.begin_sums(self.out, self.rows, self.columns)

    def write(self) -> None:
        """Write the sums of rows and columns that are not there already."""
        builder, is_new = self.builder, self.is_new(self.done)
        for r, (row, sums) in enumerate(zip(self.rows, self.sums, strict=True)):
            with builder.if_then(builder.icmp_unsigned("<=", self.done_rows, ir.Constant(PLACE, r)), likely=True):
                for column, total in zip(self.columns, map(builder.load, sums), strict=True):
                    place = builder.add(row, column)
                    if column is self.columns[-1]:
                        total = builder.select(is_new, total, self.code.load(self.out, place))
                    self.code.store(total, self.out, place)


class Code:
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
