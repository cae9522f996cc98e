"""Inputs of the geometric algorithms: points in the plane."""

import numpy as np

from narlab.algorithms.sampling.draws import Draws
from narlab.algorithms.sampling.sequences import positions


def disc(draws: Draws, n: int, count: int) -> dict[str, np.ndarray]:
    """Points spread evenly over a disc of radius 2."""
    x, y = draws.disc(2.0, (count, n))
    return {"pos": positions(n, count), "x": x, "y": y}


def segments(draws: Draws, n: int, count: int) -> dict[str, np.ndarray]:
    """The end points of two segments, which cross in half of the samples; always four nodes, whatever n is."""
    wanted = draws.bernoulli(0.5, (count,))
    x, y = draws.uniform((count, 4)), draws.uniform((count, 4))
    while (wrong := cross(x, y) != wanted).any():
        again = int(wrong.sum())
        x[wrong] = draws.uniform((again, 4))
        y[wrong] = draws.uniform((again, 4))
    return {"pos": positions(4, count), "x": x, "y": y}


def cross(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Whether segment (0, 1) crosses segment (2, 3), [count]; collinear points are nobody's business here."""

    def counter_clockwise(a: int, b: int, c: int) -> np.ndarray:
        return (y[:, c] - y[:, a]) * (x[:, b] - x[:, a]) > (y[:, b] - y[:, a]) * (x[:, c] - x[:, a])

    ends_apart = counter_clockwise(0, 2, 3) != counter_clockwise(1, 2, 3)
    return ends_apart & (counter_clockwise(0, 1, 2) != counter_clockwise(0, 1, 3))
