"""Sparse Erdős–Rényi: p = c ln(n) / n, so that degrees grow with ln(n) alone; SALSA-CLRS has c between 1 and 2."""

from dataclasses import dataclass
from math import inf, log

import numpy as np

from narlab.algorithms.sampling import Draws
from narlab.common.errors import UsageError
from narlab.data.graphs import er_strict
from narlab.data.graphs._orientation import check_request

DIGITS = 12  # of ln(n), whose last bits differ between machines


@dataclass(frozen=True)
class Family:
    """Each pair with p = c ln(n) / n, at most 1; a graph draws its own c, evenly between `c_low` and `c_high`.

    Above c = 1 large graphs are connected, as a rule. In a directed graph p is of each ordered pair.
    """

    c_low: float = 1.0
    c_high: float = 2.0

    def __post_init__(self) -> None:
        for name in ("c_low", "c_high"):
            c = getattr(self, name)
            if isinstance(c, bool) or not isinstance(c, int | float) or not 0 <= c < inf:
                raise UsageError(f"{name} must be a number of at least 0, got {c!r}")
        if self.c_low > self.c_high:
            raise UsageError(f"c_low must be at most c_high, got {self.c_low} and {self.c_high}")

    def __call__(
        self, draws: Draws, n: int, count: int, *, directed: bool = False, acyclic: bool = False
    ) -> np.ndarray:
        draws = check_request("er_log", draws, n, count)
        c = draws.uniform((count, 1, 1), self.c_low, self.c_high)
        p = np.minimum(c * round(log(n), DIGITS) / n, 1.0)
        return er_strict.finish(draws.uniform((count, n, n)) < p, draws, directed=directed, acyclic=acyclic)
