"""Numbers that are equal up to rounding, and how far a cost or value is from the best."""

import numpy as np

from narlab.algorithms.engine.validity import TOLERANCE
from narlab.common.compiling import jitted


@jitted
def ties(a, b):
    """Whether two lengths, costs or values count as equal; infinity equals only itself."""
    difference = abs(a - b)
    return a == b or (difference <= TOLERANCE * max(1.0, abs(a), abs(b)) and difference < np.inf)


tied = ties.py_func  # for plain Python, which need not wait for a compilation


@jitted
def relative_gap(excess, best):
    """How much worse than `best` an answer is that is `excess` away from it; infinite if the best is nothing."""
    if excess == 0.0:
        return 0.0
    return abs(excess / best)  # division by zero is infinite here
