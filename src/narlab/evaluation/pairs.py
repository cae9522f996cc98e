"""The paper's pair metric on `bridges_two_communities`, where samples 2k and 2k + 1 are a pair.

In graph A the edge that joins the two communities is a bridge, in graph B it is none. A model passes a pair if it is
right about that edge in both. Its word is one entry of its answer, at (u, v) as the data set names the edge, so that a
guess is right in a quarter of the pairs.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from narlab.common.errors import UsageError

CHANCE = 0.25


@dataclass(frozen=True)
class PairOutcomes:
    """How many pairs have each outcome: the model's word in graph A, then in graph B."""

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


def pair_outcomes(predicted: Tensor, truth: Tensor, joining_edge: np.ndarray) -> PairOutcomes:
    """The outcomes of predicted and true values [2P, N, N] of `is_bridge` on the joining edges [2P, 2]."""
    if len(predicted) == 0 or len(predicted) % 2:
        raise UsageError(f"graphs come in pairs, got {len(predicted)} of them")
    first, second = torch.from_numpy(np.array(joining_edge, np.int64)).unbind(1)
    word, answer = (values[torch.arange(len(values)), first, second] for values in (predicted, truth))  # [2P] each
    in_a, in_b = (word == answer).unflatten(0, (-1, 2)).unbind(1)  # [P] each
    outcomes = (in_a & in_b, in_a & ~in_b, ~in_a & in_b, ~in_a & ~in_b)
    return PairOutcomes(*(int(outcome.sum()) for outcome in outcomes))
