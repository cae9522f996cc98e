"""The mean optimality gap: how much worse than the best answers are, relative to the best.

0 is optimal. One answer that is no solution at all has an infinite gap, and so has the mean; the details say how many
answers are solutions, and what the mean gap of these is.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from narlab.algorithms.engine import Algorithm
from narlab.data import Dataset
from narlab.evaluation.metrics import Arrays, Counts, Instances, Level, Metric, share
from narlab.evaluation.metrics._validity import can_judge, judged


def has_gap(algorithm: Algorithm, dataset: Dataset) -> bool:
    return algorithm.has_value and can_judge(algorithm, dataset)


def counts(instances: Instances, predicted: Arrays) -> list[Counts]:
    """Each graph's gap and a 1, whose share is the mean; and the gap and a 1 only where the answer is a solution."""
    gap = judged(instances, predicted).gap
    solved = np.isfinite(gap)
    return [Counts(np.stack([gap, np.ones(len(gap)), np.where(solved, gap, 0.0), solved], 1), share)]


def details(counted: Sequence[Counts]) -> dict[str, float]:
    (found,) = counted
    _, graphs, gaps, solved = found.values.sum(0).tolist()
    return {"solved": solved / graphs, "where_solved": gaps / solved if solved else math.nan}


def remarks(numbers: Mapping[str, float]) -> tuple[str, ...]:
    """What an infinite mean does not say."""
    if numbers["solved"] == 1:
        return ()
    solved = f"{100 * numbers['solved']:.2f} % of the answers are solutions"
    return (f"{solved}, with a mean gap of {numbers['where_solved']:.4g}." if numbers["solved"] else f"{solved}.",)


METRIC = Metric(
    "gap",
    Level.GRAPH,
    counts,
    higher_is_better=False,
    is_share=False,
    applies=has_gap,
    needs="a problem with a value to optimise, and inputs on which it is defined",
    details=details,
    remarks=remarks,
)
