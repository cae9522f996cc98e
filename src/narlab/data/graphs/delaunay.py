"""Delaunay triangulations of points that are spread evenly over a square: planar, connected, with short edges alone."""

from dataclasses import dataclass

import numpy as np

from narlab.algorithms.sampling import Draws
from narlab.data.graphs._orientation import check_request, finish


@dataclass(frozen=True)
class Family:
    """n points of the unit square; two are joined where a circle through both holds no other point."""

    def __call__(
        self, draws: Draws, n: int, count: int, *, directed: bool = False, acyclic: bool = False
    ) -> np.ndarray:
        seeds = check_request("delaunay", draws, n, count).seeds(count)
        graphs = np.zeros((count, n, n), bool)
        for graph, seed in zip(graphs, seeds, strict=True):
            graph[:] = triangulation(points(int(seed), n))
        return finish(graphs, seeds, directed=directed, acyclic=acyclic)


def points(seed: int, n: int) -> np.ndarray:
    """The points [n, 2] of the graph with this seed."""
    return np.random.Generator(np.random.Philox(key=seed)).random((n, 2))


def triangulation(places: np.ndarray) -> np.ndarray:
    """The symmetric adjacency [n, n] of the points' Delaunay triangulation; up to three points are all joined."""
    from scipy.spatial import Delaunay  # here, because few need it and it takes long to load

    n = len(places)
    if n <= 3:
        return ~np.eye(n, dtype=bool)
    graph = np.zeros((n, n), bool)
    corners = Delaunay(places).simplices  # [triangles, 3]
    for one, other in ((0, 1), (1, 2), (2, 0)):
        u, v = corners[:, one], corners[:, other]
        graph[u, v] = graph[v, u] = True
    return graph
