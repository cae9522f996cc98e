"""Two connected Erdős–Rényi communities that a single edge, a bridge, joins."""

from dataclasses import dataclass

import numpy as np

from narlab.algorithms.sampling import Draws
from narlab.algorithms.sampling.graphs import check_probability
from narlab.common.errors import UsageError
from narlab.data.graphs._orientation import check_request, finish
from narlab.kernels import random_graphs as kernels


@dataclass(frozen=True)
class Family:
    """Communities of n//2 and n - n//2 nodes; each is drawn, every pair with p, until it is connected."""

    p: float = 0.2

    def __post_init__(self) -> None:
        check_probability("p", self.p)

    def __call__(
        self, draws: Draws, n: int, count: int, *, directed: bool = False, acyclic: bool = False
    ) -> np.ndarray:
        draws = check_request("two_communities", draws, n, count, least=2)
        if self.p == 0 and n > 2:
            raise UsageError(f"'two_communities' of more than one node need p in (0, 1], got p={self.p} and n={n}")
        seeds = draws.seeds(count)
        graphs, failed = kernels.two_communities(seeds, n, float(self.p))
        if failed:
            raise UsageError(
                f"no connected community of {failed} nodes in {kernels.REDRAWS} draws with p={self.p}; take a larger p"
            )
        return finish(graphs, seeds, directed=directed, acyclic=acyclic)
