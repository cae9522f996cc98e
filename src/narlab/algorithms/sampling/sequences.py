"""Inputs of the algorithms on arrays: keys, chains, activities, tasks."""

import numpy as np

from narlab.algorithms.sampling import Draws, positions


def keys(draws: Draws, n: int, count: int) -> dict[str, np.ndarray]:
    """Distinct values in [0, 1)."""
    return {"pos": positions(n, count), "key": draws.uniform((count, n))}


def sorted_keys(draws: Draws, n: int, count: int) -> dict[str, np.ndarray]:
    """Ascending values and a target to look up."""
    ascending = np.sort(draws.uniform((count, n)), axis=1)
    return {"pos": positions(n, count), "key": ascending, "target": draws.uniform((count,))}


def signed_keys(draws: Draws, n: int, count: int) -> dict[str, np.ndarray]:
    """Values in [-1, 1)."""
    return {"pos": positions(n, count), "key": draws.uniform((count, n), -1.0, 1.0)}


def dimensions(draws: Draws, n: int, count: int) -> dict[str, np.ndarray]:
    """The dimensions of a chain of n - 1 matrices."""
    return {"pos": positions(n, count), "p": draws.uniform((count, n))}


def probabilities(draws: Draws, n: int, count: int) -> dict[str, np.ndarray]:
    """The probabilities p of n keys, padded with a zero, and q of the n + 1 gaps around them."""
    drawn = draws.uniform((count, 2 * n + 1))
    drawn = drawn / np.sum(drawn, axis=1, keepdims=True)
    p = np.concatenate([drawn[:, :n], np.zeros((count, 1))], axis=1)
    return {"pos": positions(n + 1, count), "p": p, "q": drawn[:, n:]}


def activities(draws: Draws, n: int, count: int) -> dict[str, np.ndarray]:
    """Start and finish times in [0, 1)."""
    first, second = draws.uniform((count, n)), draws.uniform((count, n))
    return {"pos": positions(n, count), "s": np.minimum(first, second), "f": np.maximum(first, second)}


def tasks(draws: Draws, n: int, count: int) -> dict[str, np.ndarray]:
    """Integer deadlines 1 to n and penalties in [0, 1)."""
    deadlines = draws.integers(n, (count, n)) + 1
    return {"pos": positions(n, count), "d": deadlines, "w": draws.uniform((count, n))}
