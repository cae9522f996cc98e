"""Inputs of the string algorithms: two strings laid out one after the other."""

import numpy as np

from narlab.algorithms.sampling import Draws
from narlab.common.errors import UsageError, check_integer

LETTERS = 4


def two_strings(first: np.ndarray, second: np.ndarray) -> dict[str, np.ndarray]:
    """The inputs for letters [count, a] and [count, b]; each string has its own ramp of positions."""
    count, a = first.shape
    b = second.shape[1]
    string = np.arange(a + b) >= a
    pos = np.concatenate([np.arange(a) * 1.0 / a, np.arange(b) * 1.0 / b])
    letters = np.concatenate([first, second], axis=1)
    return {
        "string": np.broadcast_to(string, (count, a + b)),
        "pos": np.broadcast_to(pos, (count, a + b)),
        "key": letters[:, :, None] == np.arange(LETTERS),
    }


def pair(draws: Draws, n: int, count: int) -> dict[str, np.ndarray]:
    """Two random strings of half the nodes each."""
    first = draws.integers(LETTERS, (count, n - n // 2))
    return two_strings(first, draws.integers(LETTERS, (count, n // 2)))


def check_needle(needle: int, n: int) -> int:
    """The length of a needle that `n` nodes have room for, with a haystack of at least one letter more."""
    check_integer("needle", needle, 1)
    if 2 * needle >= n:
        raise UsageError(f"needle must be at most {(n - 1) // 2} letters of n={n}, got {needle}")
    return needle


class HaystackSampler:
    """Draws a random haystack that holds the needle, which has a fifth of the nodes or as many as one says."""

    options = ("needle",)

    def __call__(self, draws: Draws, n: int, count: int, *, needle: int | None = None) -> dict[str, np.ndarray]:
        length = max(n // 5, 1) if needle is None else check_needle(needle, n)
        letters = draws.integers(LETTERS, (count, length))
        haystack = draws.integers(LETTERS, (count, n - length))
        start = draws.choices(n - 2 * length, count)
        np.put_along_axis(haystack, start[:, None] + np.arange(length), letters, axis=1)
        return two_strings(haystack, letters)
