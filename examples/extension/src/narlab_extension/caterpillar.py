"""Caterpillars: a path, and legs that hang on it."""

from dataclasses import dataclass

import numpy as np

from narlab.algorithms.sampling import Draws, relabel
from narlab.common.errors import UsageError


@dataclass(frozen=True)
class Family:
    """A path of `share` of the nodes; each other node hangs on a random one of these. Labels are random."""

    share: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise UsageError(f"share of 'caterpillar' must be above 0 and at most 1, got {self.share}")

    def __call__(
        self, draws: Draws, n: int, count: int, *, directed: bool = False, acyclic: bool = False
    ) -> np.ndarray:
        spine = max(1, round(self.share * n))
        parent = np.tile(np.arange(-1, n - 1), (count, 1))
        parent[:, spine:] = draws.integers(spine, (count, n - spine))
        graphs = np.zeros((count, n, n), bool)
        samples, nodes = np.divmod(np.arange(count * (n - 1)), n - 1)
        graphs[samples, parent[samples, nodes + 1], nodes + 1] = True  # away from the first node: acyclic
        if not (directed or acyclic):
            graphs |= graphs.swapaxes(1, 2)
        return relabel(graphs, draws.permutations(count, n))
