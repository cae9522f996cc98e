"""Graphs whose probability of an edge is itself drawn, as dm-clrs's samplers take it: `p=(0.1, 0.5, 0.9)`."""

from dataclasses import dataclass

import numpy as np

from narlab.algorithms.sampling import Draws
from narlab.algorithms.sampling.graphs import Communities, ErdosRenyi, GraphFamily
from narlab.common.errors import UsageError

__all__ = ["Family"]


@dataclass(frozen=True)
class Family:
    """Erdős–Rényi graphs, or communities of them, each with one of the probabilities `p`, all equally likely."""

    p: tuple[float, ...]
    has_communities: bool = False

    def __post_init__(self) -> None:
        if not self.p:
            raise UsageError("p must be one or more probabilities, got none")
        for p in self.p:
            self._of(p)

    def _of(self, p: float) -> GraphFamily:
        return Communities(p=p) if self.has_communities else ErdosRenyi(p)

    def __call__(self, draws: Draws, n: int, count: int, *, directed: bool, acyclic: bool) -> np.ndarray:
        chosen = draws.choices(len(self.p), count)
        graphs = np.empty((count, n, n), bool)
        for k in np.unique(chosen):
            mine = chosen == k
            graphs[mine] = self._of(self.p[k])(draws, n, int(mine.sum()), directed=directed, acyclic=acyclic)
        return graphs
