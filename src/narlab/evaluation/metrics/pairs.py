"""The paper's pair metric on `bridges_two_communities`, where samples 2k and 2k + 1 are a pair.

In graph A the edge that joins the two communities is a bridge, in graph B it is none. A model passes a pair if it is
right about that edge in both. Its word is one entry of its answer, at (u, v) as the data set names the edge, so that a
guess is right in a quarter of the pairs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

from narlab.algorithms.engine import Algorithm
from narlab.common.errors import UsageError
from narlab.data import Dataset
from narlab.evaluation.metrics import Arrays, Counts, Instances, Level, Metric

CHANCE = 0.25
JOINING_EDGE = "joining_edge"  # the mark of a data set of pairs
OUTPUT = "is_bridge"


@dataclass(frozen=True)
class PairOutcomes:
    """How many pairs have each outcome: the model's word in graph A, then in graph B.

    >>> PairOutcomes(right_right=7, right_wrong=900, wrong_right=90, wrong_wrong=3).accuracy
    0.007
    """

    right_right: int
    right_wrong: int
    wrong_right: int
    wrong_wrong: int

    @property
    def count(self) -> int:
        return self.right_right + self.right_wrong + self.wrong_right + self.wrong_wrong

    @property
    def accuracy(self) -> float:
        """The share of pairs that are right in both graphs."""
        return self.right_right / self.count


def pair_outcomes(predicted: ArrayLike, truth: ArrayLike, joining_edge: np.ndarray) -> PairOutcomes:
    """The outcomes of predicted and true values [2P, N, N] of `is_bridge` on the joining edges [2P, 2]."""
    return PairOutcomes(*_outcomes(predicted, truth, joining_edge).sum(0).astype(int).tolist())


def _outcomes(predicted: ArrayLike, truth: ArrayLike, joining_edge: np.ndarray) -> np.ndarray:
    """Which of the four outcomes each pair has, one-hot [P, 4]."""
    predicted, truth = np.asarray(predicted), np.asarray(truth)
    if len(predicted) == 0 or len(predicted) % 2:
        raise UsageError(f"graphs come in pairs, got {len(predicted)} of them")
    entry = (np.arange(len(predicted)), *np.asarray(joining_edge, np.int64).T)
    in_a, in_b = (predicted[entry] == truth[entry]).reshape(-1, 2).T  # [P] each
    return np.stack([in_a & in_b, in_a & ~in_b, ~in_a & in_b, ~in_a & ~in_b], 1).astype(np.float64)


def has_pairs(algorithm: Algorithm, dataset: Dataset) -> bool:
    return any(probe.name == OUTPUT for probe in algorithm.outputs) and JOINING_EDGE in dataset[:1].marks


def counts(instances: Instances, predicted: Arrays) -> list[Counts]:
    outcomes = _outcomes(predicted[OUTPUT], instances.outputs[OUTPUT], instances.marks[JOINING_EDGE])
    return [Counts(outcomes, lambda sums: sums[..., 0] / sums.sum(-1), OUTPUT)]


def details(counted: Sequence[Counts]) -> dict[str, float]:
    (outcomes,) = counted
    found = PairOutcomes(*outcomes.values.sum(0).astype(int).tolist())
    return {"accuracy": found.accuracy, **asdict(found)}


def remarks(numbers: Mapping[str, float]) -> tuple[str, ...]:
    outcomes = {name: int(number) for name, number in numbers.items() if name != "accuracy"}
    share = f"{100 * numbers['accuracy']:.2f} % of {sum(outcomes.values())} pairs"
    return (
        f"{share} are right in both graphs; chance is {100 * CHANCE:.0f} %.",
        "The joining edge, a bridge in graph A and none in graph B:",
        f"  {'in A':5}  {'in B':5}  pairs",
        *(f"  {name.replace('_', '  ')}  {number:5}" for name, number in outcomes.items()),
    )


METRIC = Metric(
    "pairs",
    Level.PAIR,
    counts,
    applies=has_pairs,
    needs="a data set of pairs of graphs, such as bridges_two_communities",
    details=details,
    remarks=remarks,
)
