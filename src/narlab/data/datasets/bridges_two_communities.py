"""Two communities: a stricter test for bridges, 1000 pairs of graphs of 64 nodes.

Samples 2k and 2k + 1 are a pair. In the first, one edge joins two connected Erdős–Rényi communities of 32 nodes, so it
is a bridge; the second has another edge between them, so it is none. `marks["joining_edge"]` [count, 2] names the edge.
A model passes a pair if it says "bridge" of that edge in the first graph and "no bridge" in the second: chance is 25 %.
The paper does not say how large its communities are: these have the benchmark's test size together, and p = 0.2.
"""

from dataclasses import dataclass

import numpy as np

from narlab.algorithms.sampling import Draws, Fast, block_size, blocks, relabel
from narlab.data.generation import Description
from narlab.kernels import random_graphs as kernels

SPLITS = ("test",)
ALGORITHMS = ("bridges",)


def describe(algorithm: str, split: str) -> Description:
    return Description("bridges_two_communities", algorithm, split, n=64, count=2000, seed=3)


@dataclass(frozen=True)
class Pairs:
    """Draws pairs of two-community graphs, one after the other."""

    p: float = 0.2

    def __call__(self, draws: Draws, n: int, count: int, *, directed: bool, acyclic: bool) -> np.ndarray:
        assert isinstance(draws, Fast)
        return self.draw(draws, n, count)[0]

    def draw(self, draws: Fast, n: int, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Graphs [count, n, n] and the edge that joins the communities of each, [count, 2]."""
        pairs, half = count // 2, n // 2
        first, failed = kernels.two_communities(draws.seeds(pairs), n, self.p)
        assert not failed
        between = first[:, :half, half:].reshape(pairs, -1)
        joining = between.argmax(1)
        other = draws.integers(between.shape[1] - 1, (pairs,))
        other += other >= joining  # any pair across but the one that is joined already
        second = first.copy()
        k = np.arange(pairs)
        u, v = other // (n - half), half + other % (n - half)
        second[k, u, v] = second[k, v, u] = True
        order = draws.permutations(pairs, n)
        label = order.argsort(axis=1)  # node i of the drawn graph is called label[i]
        edges = np.stack([label[k, joining // (n - half)], label[k, half + joining % (n - half)]], axis=1)
        graphs = np.stack([relabel(first, order), relabel(second, order)], axis=1)
        return graphs.reshape(count, n, n), edges.repeat(2, axis=0)


GRAPHS = Pairs()


def marks(description: Description, start: int, stop: int) -> dict[str, np.ndarray]:
    """The joining edges of samples `start` to `stop`."""
    size = block_size(description.n)
    parts = [
        GRAPHS.draw(Fast(description.seed, block), description.n, size)[1][first:end]
        for block, first, end in blocks(start, stop, size)
    ]
    return {"joining_edge": np.concatenate([*parts, np.zeros((0, 2), np.int64)])}
