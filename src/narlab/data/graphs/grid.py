"""Grids, as square as the number of nodes allows."""

from dataclasses import dataclass
from math import isqrt

import numpy as np

from narlab.algorithms.sampling import Draws
from narlab.common.errors import UsageError
from narlab.data.graphs._orientation import check_request, copies


@dataclass(frozen=True)
class Family:
    """The most square grid with exactly n nodes, rows * columns = n."""

    def __call__(
        self, draws: Draws, n: int, count: int, *, directed: bool = False, acyclic: bool = False
    ) -> np.ndarray:
        draws = check_request("grid", draws, n, count)
        rows = max(r for r in range(1, isqrt(n) + 1) if n % r == 0)
        if rows == 1 and n > 3:
            raise UsageError(
                f"'grid' graphs need n = rows * columns with 2 rows or more, got the prime n={n}; "
                f"the nearest sizes are {n - 1} and {n + 1}"
            )
        row, column = np.divmod(np.arange(n), n // rows)
        distance = np.abs(row[:, None] - row) + np.abs(column[:, None] - column)
        return copies(distance == 1, draws, count, directed=directed, acyclic=acyclic)
