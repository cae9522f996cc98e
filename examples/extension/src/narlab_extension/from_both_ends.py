"""Positions from both ends: i/N, and how far it is to the last node."""

import torch
from torch import Tensor

from narlab.models.batch import Batch
from narlab.models.positions import AbstractPosition
from narlab.specs import Location, Probe, Type


class Position(AbstractPosition):
    """pos_i = (i/N, (N - 1 - i)/N)."""

    probe = Probe.input("pos", Location.NODE, Type.CATEGORICAL, categories=2)  # two numbers per node

    def values(self, batch: Batch, training: bool) -> Tensor:
        pos = batch.inputs["pos"]
        return torch.stack([pos, 1 - 1 / pos.shape[1] - pos], -1)  # [B, N, 2]
