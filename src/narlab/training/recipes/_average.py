"""Averages of the weights of all steps."""

from typing import cast

from torch import Tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from narlab.models import Network
from narlab.training.recipes._recipe import LastWeights, Tensors

Weights = tuple[Tensor, ...] | list[Tensor]


class MovingAverage(LastWeights):
    """An exponential moving average: each step takes 1 - `decay` of the new weights; it begins with the first's.

    With `rises`, the decay of step t (from 0) is at most (t + 1) / (t + 10): the first weights are soon forgotten.
    """

    def __init__(self, model: Network, decay: float, *, rises: bool = False) -> None:
        super().__init__(model)
        self.decay, self.rises = decay, rises
        self.averaged = AveragedModel(model, multi_avg_fn=self._take_in)

    @property
    def model(self) -> Network:
        return cast(Network, self.averaged.module)

    def _take_in(self, averages: Weights, weights: Weights, taken: Tensor | int) -> None:
        """`taken` steps are in the average already."""
        decay = min(self.decay, (int(taken) + 1) / (int(taken) + 10)) if self.rises else self.decay
        get_ema_multi_avg_fn(decay)(averages, weights, taken)

    def update(self) -> None:
        self.averaged.update_parameters(self.trained)

    def state_dict(self) -> Tensors:
        return self.averaged.state_dict()

    def load_state_dict(self, state: Tensors) -> None:
        self.averaged.load_state_dict(state)
