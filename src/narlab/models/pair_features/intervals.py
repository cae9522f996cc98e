"""Intervals: sums of learned values of the nodes from i to j in their order, and how far they are from the best."""

import torch
from torch import Tensor, nn

from narlab.models.closure import LEARNING_SPEED
from narlab.models.pair_features import FAR, AbstractPairFeatures, PairInputs, sharpened
from narlab.models.topology import diagonal

CHANNELS = 4
SMALLEST_SCALE = 1e-6  # where all sums of a graph are 0


class PairFeatures(AbstractPairFeatures):
    """With learned values v, a, b of nodes, in 4 channels,

    S_ij is the sum of v from i to j, where i is j or before it, and t_ij = a_i + S_ij + b_j. The features are S_ij as a
    share of the graph's largest |S|, and the gaps of t_ij to the largest t of all pairs, of its row and of its column.
    In tasks with two strings an interval lies within one of them. What is no interval is as far off as can be.

    >>> import narlab
    >>> model = narlab.models.build("minimum", hidden=8, depth=2, pair_features=("intervals",))
    >>> batch = narlab.models.make_batch(narlab.data.custom("minimum", n=4, count=2))
    >>> model(batch).outputs["min"].shape
    torch.Size([2, 4])
    """

    width = (1 + 3 * 3) * CHANNELS

    def __init__(self, fan_in: int) -> None:
        super().__init__()
        self.of_node = nn.Linear(fan_in, 3 * CHANNELS)

    def forward(self, inputs: PairInputs) -> Tensor:
        value, first, last = (LEARNING_SPEED * self.of_node(diagonal(inputs.values))).chunk(3, -1)  # [B, N, C]
        so_far = inputs.before.transpose(1, 2) @ value + value  # the sum of all up to a node
        total = so_far[:, None] - (so_far - value)[:, :, None]  # S, [B, N, N, C]
        same = torch.eye(value.shape[1], dtype=torch.bool, device=value.device)
        is_interval = (inputs.before.bool() | same)[..., None]
        total = total.where(is_interval, 0.0)
        share = total / total.abs().amax((1, 2), keepdim=True).clamp_min(SMALLEST_SCALE)
        worth = (first[:, :, None] + total + last[:, None]).where(is_interval, -torch.inf)
        gaps = [worth - worth.amax(over, keepdim=True) for over in ((1, 2), 2, 1)]
        return torch.cat([share, *(sharpened(gap.clamp_min(-FAR)) for gap in gaps)], -1)
