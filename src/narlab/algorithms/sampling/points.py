"""Inputs of the geometric algorithms: points in the plane."""

import numpy as np

from narlab.algorithms.sampling import Draws, positions


def disc(draws: Draws, n: int, count: int) -> dict[str, np.ndarray]:
    """Points spread evenly over a disc of radius 2."""
    x, y = draws.disc(2.0, (count, n))
    return {"pos": positions(n, count), "x": x, "y": y}


def segments(draws: Draws, n: int, count: int) -> dict[str, np.ndarray]:
    """The end points of two segments; always four nodes, whatever n is."""
    x, y = draws.segments(count)
    return {"pos": positions(4, count), "x": x, "y": y}
