"""Inputs of the graph algorithms: the benchmark's two graph families, weights and sources.

A family is a callable `(draws, n, count, directed, acyclic) -> [count, n, n]` of booleans, row to column. Families
beyond the benchmark's are in `narlab.data.graphs`.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from narlab.algorithms.sampling import Draws, positions, relabel
from narlab.common.errors import UsageError


class GraphFamily(Protocol):
    """How the graphs of a data set are drawn."""

    def __call__(self, draws: Draws, n: int, count: int, *, directed: bool, acyclic: bool) -> np.ndarray: ...


def check_probability(name: str, p: float) -> None:
    """A probability is a number in [0, 1]."""
    if isinstance(p, bool) or not isinstance(p, int | float) or not 0 <= p <= 1:
        raise UsageError(f"{name} must be a probability in [0, 1], got {p!r}")


@dataclass(frozen=True)
class ErdosRenyi:
    """Erdős–Rényi in the benchmark's form.

    An undirected graph keeps a pair only if both directions were drawn: the probability of an edge is p squared, the
    one of a self-loop p. A directed graph keeps each arc with p, an acyclic one each pair with p.
    """

    p: float = 0.5

    def __post_init__(self) -> None:
        check_probability("p", self.p)

    def __call__(self, draws: Draws, n: int, count: int, *, directed: bool, acyclic: bool) -> np.ndarray:
        return draws.erdos_renyi(self.p, n, count, directed=directed, acyclic=acyclic)


@dataclass(frozen=True)
class Communities:
    """k dense communities with few arcs from earlier to later ones; the graph of strongly_connected_components."""

    k: int = 4
    p: float = 0.5
    eps: float = 0.01

    def __post_init__(self) -> None:
        check_probability("p", self.p)
        check_probability("eps", self.eps)
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise UsageError(f"k must be a positive number of communities, got {self.k!r}")

    def __call__(self, draws: Draws, n: int, count: int, *, directed: bool, acyclic: bool) -> np.ndarray:
        if self.k > n:
            raise UsageError(f"{self.k} communities need at least {self.k} nodes, got n={n}")
        size = n // self.k
        community = np.minimum(np.arange(n) // size, self.k - 1)
        inside = np.zeros((count, n, n), bool)
        for c in range(self.k):
            members = slice(c * size, n if c == self.k - 1 else (c + 1) * size)
            width = members.stop - members.start
            inside[:, members, members] = draws.bernoulli(self.p, (count, width, width))
        toggled = draws.bernoulli(self.eps, (count, n, n)) & (community[:, None] <= community)
        graph = inside ^ toggled
        if not directed:
            graph |= graph.swapaxes(1, 2)
        elif acyclic:
            graph = np.triu(graph, 1)
        return relabel(graph, draws.permutations(count, n))


def loops(graph: np.ndarray) -> np.ndarray:
    """Where there is an edge or i = j, [count, n, n]: the benchmark's `adj`."""
    adjacency = graph != 0
    diagonal = np.arange(graph.shape[-1])
    adjacency[:, diagonal, diagonal] = True
    return adjacency


def check_weights(weights: tuple[float, float]) -> tuple[float, float]:
    """Weights are a range 0 <= low < high."""
    try:
        low, high = (float(bound) for bound in weights)
    except (TypeError, ValueError):
        raise UsageError(f"weights must be a range (low, high), got {weights!r}") from None
    if not 0 <= low < high < np.inf:
        raise UsageError(f"weights must be a range with 0 <= low < high, got {weights!r}")
    return low, high


@dataclass(frozen=True)
class GraphSampler:
    """Draws a graph, then weights and a source where the algorithm has them."""

    graphs: GraphFamily
    directed: bool = False
    acyclic: bool = False
    weighted: bool = False
    source: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        return ("graphs", "weights") if self.weighted else ("graphs",)

    def __call__(
        self,
        draws: Draws,
        n: int,
        count: int,
        *,
        graphs: GraphFamily | None = None,
        weights: tuple[float, float] = (0.0, 1.0),
    ) -> dict[str, np.ndarray]:
        family = self.graphs if graphs is None else graphs
        graph = family(draws, n, count, directed=self.directed, acyclic=self.acyclic)
        A = draws.weigh(graph, *check_weights(weights), directed=self.directed) if self.weighted else graph
        inputs = {"pos": positions(n, count), "A": A, "adj": loops(A)}
        if self.source:
            inputs["s"] = np.arange(n) == draws.choices(n, count)[:, None]
        return inputs
