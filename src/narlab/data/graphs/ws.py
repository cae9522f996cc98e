"""Watts–Strogatz small worlds: a ring of near neighbours, some of whose edges lead elsewhere."""

from dataclasses import dataclass

import numpy as np

from narlab.algorithms.sampling import Draws
from narlab.algorithms.sampling.graphs import check_probability
from narlab.common.errors import UsageError, check_integer
from narlab.data.graphs._orientation import check_request, finish
from narlab.kernels import random_graphs as kernels


@dataclass(frozen=True)
class Family:
    """n k / 2 edges; each is moved with probability p."""

    k: int = 4
    p: float = 0.1

    def __post_init__(self) -> None:
        check_probability("p", self.p)
        check_integer("k", self.k, 2)
        if self.k % 2:
            raise UsageError(f"k of 'ws' graphs must be even and at least 2, got {self.k}; take {self.k + 1}")

    def __call__(
        self, draws: Draws, n: int, count: int, *, directed: bool = False, acyclic: bool = False
    ) -> np.ndarray:
        draws = check_request("ws", draws, n, count, least=3)
        if self.k >= n:
            raise UsageError(
                f"'ws' graphs need an even k with 2 <= k < n, got k={self.k} and n={n}; "
                f"take k up to {(n - 1) // 2 * 2}, or n from {self.k + 1}"
            )
        seeds = draws.seeds(count)
        graphs = kernels.watts_strogatz(seeds, n, self.k, float(self.p))
        return finish(graphs, seeds, directed=directed, acyclic=acyclic)
