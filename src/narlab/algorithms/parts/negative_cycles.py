"""Shortest paths are defined only where no cycle has a negative weight."""

import numpy as np

from narlab.common.errors import UsageError


def check_no_negative_cycle(arrays: dict[str, np.ndarray]) -> None:
    """No cycle that the source reaches has a negative weight: the rounds would never end."""
    A = arrays["A"]
    if (A >= 0).all():
        return
    d = np.where(arrays["s"] == 1, 0.0, np.inf)
    with np.errstate(over="ignore"):
        for _ in range(A.shape[1]):
            before = d
            d = np.minimum(before, np.where(A != 0, before[:, :, None] + A, np.inf).min(axis=1))
    if (d < before).any():
        sample = int(np.flatnonzero((d < before).any(axis=1))[0])
        raise UsageError(f"input 'A' must have no negative cycle, but the source of sample {sample} reaches one")


def check_no_negative_cycle_anywhere(arrays: dict[str, np.ndarray]) -> None:
    """No cycle at all has a negative weight."""
    A = arrays["A"]
    if (A >= 0).all():
        return
    with np.errstate(over="ignore"):
        D = shortest_walks(np.where(A != 0, A, np.inf))
    negative = (D.diagonal(axis1=1, axis2=2) < 0).any(axis=1)
    if negative.any():
        raise UsageError(f"input 'A' must have no negative cycle, but the graph of sample {negative.argmax()} has one")


def shortest_walks(D: np.ndarray) -> np.ndarray:
    """The lengths of shortest walks over arcs of length `D`, [..., N, N], infinite where there is none."""
    for k in range(D.shape[-1]):
        D = np.minimum(D, D[..., :, k, None] + D[..., None, k, :])
    return D
