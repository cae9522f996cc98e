"""Sinusoidal encoding: the transformer's sines and cosines of the node's index."""

import torch
from torch import Tensor

from narlab.models.batch import Batch
from narlab.specs import Location, Probe, Type

WIDTH = 16
PROBE = Probe.input("pos", Location.NODE, Type.CATEGORICAL, categories=WIDTH)


def values(batch: Batch, training: bool) -> Tensor:
    graphs, nodes = batch.size
    device = batch.inputs["pos"].device
    channel = torch.arange(WIDTH, device=device)
    angle = torch.arange(nodes, device=device)[:, None] / 10000 ** (2 * (channel // 2) / WIDTH)  # [N, 16]
    return torch.where(channel % 2 == 0, angle.sin(), angle.cos()).expand(graphs, nodes, WIDTH)
