"""Paths: all nodes in one line."""

from dataclasses import dataclass

import numpy as np

from narlab.algorithms.sampling import Draws
from narlab.data.graphs._orientation import check_request, copies


@dataclass(frozen=True)
class Family:
    """One path through all nodes."""

    def __call__(
        self, draws: Draws, n: int, count: int, *, directed: bool = False, acyclic: bool = False
    ) -> np.ndarray:
        draws = check_request("path", draws, n, count)
        step = np.eye(n, k=1, dtype=bool)
        return copies(step | step.T, draws, count, directed=directed, acyclic=acyclic)
