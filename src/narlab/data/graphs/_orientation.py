"""What the graph families share: the check of a request, a seed per graph, random labels and directions."""

import numpy as np

from narlab.algorithms.sampling import Draws, Fast
from narlab.common.errors import UsageError, check_count, check_integer
from narlab.kernels import random_graphs as kernels


def check_request(family: str, draws: Draws, n: object, count: object, *, least: int = 1) -> Fast:
    """The stream `draws`, if it is the fast one and graphs of `n` nodes can be drawn from it."""
    check_integer(f"n of {family!r} graphs", n, least)
    check_count(count)
    if not isinstance(draws, Fast):
        raise UsageError(
            f"{family!r} graphs come from the fast stream only, got {type(draws).__name__}; take stream='fast'"
        )
    return draws


def finish(graphs: np.ndarray, seeds: np.ndarray, *, directed: bool, acyclic: bool) -> np.ndarray:
    """Undirected `graphs` [count, n, n] under random labels and, if asked for, with a direction for each edge.

    The direction is a fair coin's; in an acyclic graph, that of a random order of the nodes.
    """
    return kernels.relabel(graphs, seeds, directed, acyclic)


def copies(graph: np.ndarray, draws: Fast, count: int, *, directed: bool, acyclic: bool) -> np.ndarray:
    """`count` copies of one undirected graph [n, n], each finished by itself."""
    return finish(np.tile(graph, (count, 1, 1)), draws.seeds(count), directed=directed, acyclic=acyclic)
