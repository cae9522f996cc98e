"""K-regular graphs: each node has k neighbours; directed, k arcs in and k arcs out."""

from dataclasses import dataclass

import numpy as np

from narlab.algorithms.sampling import Draws
from narlab.common.errors import UsageError, check_integer
from narlab.data.graphs._orientation import check_request
from narlab.kernels import random_graphs as kernels


@dataclass(frozen=True)
class Family:
    """The paper's construction.

    A directed graph is a 2k-regular one whose edges are directed by coins and turned until each node has k arcs in and
    k out. An acyclic graph keeps of that the arcs from lower to higher nodes, before nodes are relabelled: its degrees
    vary around k/2.
    """

    k: int = 4

    def __post_init__(self) -> None:
        check_integer("k", self.k, 0)

    def __call__(
        self, draws: Draws, n: int, count: int, *, directed: bool = False, acyclic: bool = False
    ) -> np.ndarray:
        draws = check_request("regular", draws, n, count)
        self._check_degree(n, directed or acyclic)
        return kernels.regular(draws.seeds(count), n, self.k, directed, acyclic)

    def _check_degree(self, n: int, directed: bool) -> None:
        k = self.k
        if directed and 2 * k >= n:
            raise UsageError(
                f"directed 'regular' graphs are oriented 2k-regular ones and need 2k < n, "
                f"got k={k} and n={n}; take k from 0 to {(n - 1) // 2}, or n from {2 * k + 1}"
            )
        if k >= n:
            raise UsageError(
                f"'regular' graphs need k < n, got k={k} and n={n}; take k from 0 to {n - 1}, or n from {k + 1}"
            )
        if not directed and n * k % 2:
            raise UsageError(f"'regular' graphs need an even n * k, got n={n} and k={k}; take an even n or an even k")
