"""The closure of learned values of pairs under two semirings: shortest and widest paths."""

import math

import torch
from torch import Tensor, nn

from narlab.models.loops import fold, is_exporting
from narlab.models.pivots import largest_of_smaller, largest_sums

LEARNING_SPEED = 4.0  # values are that many times a linear map: Adam moves them so much faster
START = 0.25  # of the default initial weights; the costs' biases are this number
COST_SLOPE = 0.1  # the share of the gradient that comes back to a cost of 0, which otherwise would never leave it
SCALE = 0.3
LONGER = 1e-5  # what a value must gain to count as changed


class Closure(nn.Module):
    """v0_ij = 4 (A in_ij + b), of which the first half are made costs, -relu(v0); then, ceil(log2 N) times,

    v_ik <- max(v_ik, p_ik), where p_ik = max_j (v_ij + v_jk) for costs and max_j min(v_ij, v_jk) for the others. The
    features of a pair are s * [v0, v, 1[v > v0 + 1e-5]] with learned scales s. Only the winner of a maximum has a
    gradient: v_ik if p_ik is not larger.

    Arguments:
        fan_in: the width of in_ij.
        channels: the number of values, half of them costs.
    """

    def __init__(self, fan_in: int, channels: int) -> None:
        super().__init__()
        self.of_input = values_map(fan_in, channels)
        self.scale = nn.Parameter(torch.full((3 * channels,), SCALE))

    def forward(self, inputs: Tensor) -> Tensor:
        """The features [B, N, N, 3 channels] of `inputs` [B, N, N, fan_in]."""
        first = costs_and_widths(LEARNING_SPEED * self.of_input(inputs))
        return self.features(first, closed(first))

    def features(self, first: Tensor, last: Tensor) -> Tensor:
        """Those of the values v0 and v."""
        return self.scale * torch.cat([first, last, (last > first + LONGER).to(last.dtype)], -1)


def values_map(fan_in: int, channels: int) -> nn.Linear:
    """The map A, b: small weights, and every cost the same."""
    layer = nn.Linear(fan_in, channels)
    with torch.no_grad():
        layer.weight.mul_(START)
        layer.bias.mul_(START)
        layer.bias[: channels // 2] = START
    return layer


def costs_and_widths(values: Tensor) -> Tensor:
    """v0: the first half of the channels made costs."""
    costs, widths = values.chunk(2, -1)
    return torch.cat([cost_of(costs), widths], -1)


def closed(values: Tensor) -> Tensor:
    """v, from v0 [B, N, N, channels]."""
    costs, widths = values.chunk(2, -1)
    if is_exporting():
        return _closed_by_pivots(costs, widths)
    for _ in range(rounds(values.shape[1])):
        costs = _larger(costs, largest_sums(costs, costs))
        widths = _larger(widths, largest_of_smaller(widths, widths))
    return torch.cat([costs, widths], -1)


def _closed_by_pivots(costs: Tensor, widths: Tensor) -> Tensor:
    """The same by Floyd and Warshall's order of things, in a loop that an exported program can have."""

    def through(costs: Tensor, widths: Tensor, j: Tensor) -> tuple[Tensor, Tensor]:
        (costs_to, widths_to), (costs_from, widths_from) = (
            [value.index_select(axis, j[None]) for value in (costs, widths)] for axis in (2, 1)
        )
        return costs.maximum(costs_to + costs_from), widths.maximum(widths_to.minimum(widths_from))

    return torch.cat(fold(through, (costs, widths), torch.arange(costs.shape[1])), -1)


def rounds(nodes: int) -> int:
    """How often v changes until paths of any length are taken into account."""
    return max(1, math.ceil(math.log2(nodes)))


def _larger(value: Tensor, other: Tensor) -> Tensor:
    """The maximum; of equals the first has the gradient."""
    return torch.where(other > value, other, value)


def cost_of(y: Tensor) -> Tensor:
    """-relu(y), with a tenth of the gradient where y <= 0."""
    below = COST_SLOPE * y.clamp_max(0.0)
    return -y.relu() - (below - below.detach())
