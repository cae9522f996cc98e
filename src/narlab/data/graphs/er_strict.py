"""Erdős–Rényi as in the textbook: each pair of different nodes is joined with probability p."""

from dataclasses import dataclass

import numpy as np

from narlab.algorithms.sampling import Draws, Fast, relabel
from narlab.algorithms.sampling.graphs import check_probability
from narlab.data.graphs._orientation import check_request


@dataclass(frozen=True)
class Family:
    """Each pair with p; in a directed graph each ordered pair, in an acyclic one each pair along a random order."""

    p: float = 0.5

    def __post_init__(self) -> None:
        check_probability("p", self.p)

    def __call__(
        self, draws: Draws, n: int, count: int, *, directed: bool = False, acyclic: bool = False
    ) -> np.ndarray:
        draws = check_request("er_strict", draws, n, count)
        return finish(draws.bernoulli(self.p, (count, n, n)), draws, directed=directed, acyclic=acyclic)


def finish(graph: np.ndarray, draws: Fast, *, directed: bool, acyclic: bool) -> np.ndarray:
    """Independent arcs [count, n, n] as graphs without self-loops: both ways, one way, or along a random order."""
    count, n = graph.shape[:2]
    if directed and not acyclic:
        graph[:, np.arange(n), np.arange(n)] = False
        return graph
    graph = np.triu(graph, 1)
    return relabel(graph, draws.permutations(count, n)) if acyclic else graph | graph.swapaxes(1, 2)
