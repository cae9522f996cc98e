"""Trees, each labelled tree as likely as any other."""

from dataclasses import dataclass

import numpy as np

from narlab.algorithms.sampling import Draws
from narlab.data.graphs._orientation import check_request, finish
from narlab.kernels import random_graphs as kernels


@dataclass(frozen=True)
class Family:
    """Uniform random labelled trees, from Prüfer sequences."""

    def __call__(
        self, draws: Draws, n: int, count: int, *, directed: bool = False, acyclic: bool = False
    ) -> np.ndarray:
        seeds = check_request("tree", draws, n, count).seeds(count)
        return finish(kernels.trees(seeds, n), seeds, directed=directed, acyclic=acyclic)
