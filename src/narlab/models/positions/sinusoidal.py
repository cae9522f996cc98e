"""Sinusoidal encoding: the transformer's sines and cosines of the node's index."""

import torch
from torch import Tensor

from narlab.models.batch import Batch
from narlab.models.positions import AbstractPosition
from narlab.specs import Location, Probe, Type

WIDTH = 16


class Position(AbstractPosition):
    """pos_i,2k = sin(i / 10000^(2k/16)), pos_i,2k+1 = cos of the same; [B, N, 16].

    See the transformer (https://arxiv.org/abs/1706.03762).

    >>> import narlab
    >>> batch = narlab.models.make_batch(narlab.data.custom("bfs", n=4, count=1))
    >>> Position().values(batch, training=False)[0, 1, :2]  # the sine and the cosine of 1
    tensor([0.8415, 0.5403])
    """

    probe = Probe.input("pos", Location.NODE, Type.CATEGORICAL, categories=WIDTH)

    def values(self, batch: Batch, training: bool) -> Tensor:
        graphs, nodes = batch.size
        device = batch.inputs["pos"].device
        channel = torch.arange(WIDTH, device=device)
        angle = torch.arange(nodes, device=device)[:, None] / 10000 ** (2 * (channel // 2) / WIDTH)  # [N, 16]
        return torch.where(channel % 2 == 0, angle.sin(), angle.cos()).expand(graphs, nodes, WIDTH)
