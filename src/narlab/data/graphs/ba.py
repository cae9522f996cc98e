"""Barabási–Albert: each new node joins m of the others, well-joined ones rather; few hubs, many small nodes."""

from dataclasses import dataclass

import numpy as np

from narlab.algorithms.sampling import Draws
from narlab.common.errors import UsageError, check_integer
from narlab.data.graphs._orientation import check_request, finish
from narlab.kernels import random_graphs as kernels


@dataclass(frozen=True)
class Family:
    """A graph with m (n - m) edges, grown from a star of m + 1 nodes, as in NetworkX."""

    m: int = 2

    def __post_init__(self) -> None:
        check_integer("m", self.m, 1)

    def __call__(
        self, draws: Draws, n: int, count: int, *, directed: bool = False, acyclic: bool = False
    ) -> np.ndarray:
        draws = check_request("ba", draws, n, count, least=2)
        if self.m >= n:
            raise UsageError(
                f"'ba' graphs need 1 <= m < n, got m={self.m} and n={n}; "
                f"take m from 1 to {n - 1}, or n from {self.m + 1}"
            )
        seeds = draws.seeds(count)
        graphs = kernels.barabasi_albert(seeds, n, self.m)
        return finish(graphs, seeds, directed=directed, acyclic=acyclic)
