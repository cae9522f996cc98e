"""Averages of weights: the model that is evaluated and chosen need not be the one that the last step left."""

from typing import cast

from torch import Tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from narlab.models import Network

Tensors = dict[str, Tensor]


class LastWeights:
    """No average: the model that is trained is evaluated. It is also the base of those that keep something."""

    def __init__(self, model: Network) -> None:
        self.trained = model

    @property
    def model(self) -> Network:
        """The model that is evaluated and chosen."""
        return self.trained

    def update(self) -> None:
        """Take in the weights after a step."""

    def state_dict(self) -> Tensors:
        """What a checkpoint must keep to go on."""
        return {}

    def load_state_dict(self, state: Tensors) -> None:
        """Go on from what a checkpoint kept."""


class MovingAverage(LastWeights):
    """An exponential moving average: each step takes 1 - `decay` of the new weights; it begins with the first's."""

    def __init__(self, model: Network, decay: float) -> None:
        super().__init__(model)
        self.averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(decay))

    @property
    def model(self) -> Network:
        return cast(Network, self.averaged.module)

    def update(self) -> None:
        self.averaged.update_parameters(self.trained)

    def state_dict(self) -> Tensors:
        return self.averaged.state_dict()

    def load_state_dict(self, state: Tensors) -> None:
        self.averaged.load_state_dict(state)
