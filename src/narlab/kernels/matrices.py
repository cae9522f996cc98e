"""Products with matrices so small that they stay in the cache: faster than BLAS, which first copies them.

A matrix is packed once, in panels of columns. Where columns don't fill the last panel, it begins further left, over
columns that the one before has, too.
"""

import numpy as np

from narlab.kernels.numerics import inner, lean, smaller
from narlab.kernels.tiles import PANEL, ROWS, TOGETHER, tile_of

COLUMNS = PANEL  # no result may have fewer
CHUNK = np.uint64(64)  # rows of two matrices that stay in the first cache
_0, _1, _ROWS, _PANEL, _TOGETHER = map(np.uint64, (0, 1, ROWS, PANEL, TOGETHER * PANEL))
_single, _double = tile_of(1), tile_of(2)


@lean
def multiply(x, panels, start, stride, lowest, out):
    """out = x matrix + start, and at least the row `lowest`; rows of the flat `start` are `stride` apart, 0 for one.

    panels: the matrix as `panels_of` packs it. Rows of `x` may be longer than it is deep. `start` may be `out`.
    """
    many, depth, width = np.uint64(x.shape[0]), np.uint64(panels.shape[1]), np.uint64(out.shape[1])
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


@inner
def panels_of(matrix):
    """A matrix [K, C] in panels of columns one after the other, [panels, K, COLUMNS].

    The last two overlap where it has to be; a matrix of fewer than `COLUMNS` gets columns of zeros.
    """
    rows, width = matrix.shape
    panels = np.zeros(((width + COLUMNS - 1) // COLUMNS, rows, COLUMNS), np.float32)
    for p in range(len(panels)):
        first = max(0, min(p * COLUMNS, width - COLUMNS))
        for k in range(rows):
            for f in range(min(COLUMNS, width)):
                panels[p, k, f] = matrix[k, first + f]
    return panels
