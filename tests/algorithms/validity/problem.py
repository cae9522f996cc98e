"""One instance of a problem, as its definition judges answers: slow, exact and by other means than a checker's.

Numbers are compared exactly: the instances that these definitions are used on have small integer or dyadic weights, so
that all their sums and products are exact.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf

import numpy as np

Instance = Mapping[str, np.ndarray]  # arrays by probe name, of one sample
Value = Callable[[Instance], float | None]  # an answer's cost or worth, or None if it is no solution at all


@dataclass(frozen=True)
class Problem:
    """Which answers of one instance are right, and how far an answer is from the best where answers have a value."""

    is_right: Callable[[Instance], bool]
    gap: Callable[[Instance], float] | None = None


def optimisation(best: float, value: Value) -> Problem:
    """The right answers are the solutions whose value is the best one, which was found among all solutions."""

    def gap(outputs: Instance) -> float:
        found = value(outputs)
        if found is None:
            return inf
        if found == best:
            return 0.0
        return abs(found - best) / abs(best) if best else inf

    return Problem(lambda outputs: value(outputs) == best, gap)
