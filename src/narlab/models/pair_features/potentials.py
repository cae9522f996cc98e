"""Potentials: the best way from marked nodes to each node, and which pairs lie on one."""

import torch
from torch import Tensor, nn

from narlab.models.closure import LEARNING_SPEED, closed, costs_and_widths, values_map
from narlab.models.kernels.pair_values import closed_by_kernel
from narlab.models.pair_features import AbstractPairFeatures, PairInputs, sharpened
from narlab.models.topology import diagonal

CHANNELS = 16


class PairFeatures(AbstractPairFeatures):
    """With learned costs or widths v of pairs, 8 each, their closure v* (see `Closure`), and learned marks a of nodes,

    p_j = max(a_j, max_i (a_i + v*_ij)) is the potential of j, and p_i + v_ij - p_j the gap of the pair: never above 0,
    and 0 where a best way to j goes over i last. Widths have min in place of the sum. In linear programming these are
    the potentials of shortest paths, and a pair without a gap is tight.

    >>> import narlab
    >>> model = narlab.models.build("bellman_ford", hidden=8, depth=2, pair_features=("potentials",))
    >>> batch = narlab.models.make_batch(narlab.data.custom("bellman_ford", n=4, count=2))
    >>> model(batch).outputs["pi"].shape
    torch.Size([2, 4, 4])
    """

    width = 3 * CHANNELS

    def __init__(self, fan_in: int) -> None:
        super().__init__()
        self.of_pair = values_map(fan_in, CHANNELS)
        self.of_node = nn.Linear(fan_in, CHANNELS)
        with torch.no_grad():  # half of the channels begin with the marks of the others turned around
            for part in (self.of_node.weight, self.of_node.bias):
                first, second = part.unflatten(0, (2, 2, -1)).unbind(1)  # of costs and of widths
                second.copy_(-first)

    def forward(self, inputs: PairInputs) -> Tensor:
        values = costs_and_widths(LEARNING_SPEED * self.of_pair(inputs.values))  # [B, N, N, C]
        last = closed_by_kernel(values) if inputs.kernels else closed(values)
        marks = LEARNING_SPEED * self.of_node(diagonal(inputs.values))  # [B, N, C]
        (cost, width), (far, wide), (mark, other) = (part.chunk(2, -1) for part in (values, last, marks))
        potential = mark.maximum((mark[:, :, None] + far).amax(1))  # [B, N, C / 2]
        widest = other.maximum(other[:, :, None].minimum(wide).amax(1))
        gap = potential[:, :, None] + cost - potential[:, None]
        other_gap = widest[:, :, None].minimum(width) - widest[:, None]
        return sharpened(torch.cat([gap, other_gap], -1))
