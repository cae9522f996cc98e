"""Rings: all nodes in one circle."""

from dataclasses import dataclass

import numpy as np

from narlab.algorithms.sampling import Draws
from narlab.data.graphs._orientation import check_request, copies


@dataclass(frozen=True)
class Family:
    """One cycle through all nodes."""

    def __call__(
        self, draws: Draws, n: int, count: int, *, directed: bool = False, acyclic: bool = False
    ) -> np.ndarray:
        draws = check_request("ring", draws, n, count, least=3)
        step = np.roll(np.eye(n, dtype=bool), 1, axis=1)
        return copies(step | step.T, draws, count, directed=directed, acyclic=acyclic)
