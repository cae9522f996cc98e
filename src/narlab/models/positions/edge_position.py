"""Edge position: no node knows its index, but each pair knows which of its nodes comes first."""

import torch
from torch import Tensor

from narlab.models.batch import Batch
from narlab.specs import Location, Probe, Type

PROBE = Probe.input("pos", Location.EDGE, Type.SCALAR)  # a scalar, so that it never enters the adjacency


def values(batch: Batch, training: bool) -> Tensor:
    graphs, nodes = batch.size
    index = torch.arange(nodes, device=batch.inputs["pos"].device)
    return (index[:, None] < index).float().expand(graphs, nodes, nodes)  # 1[i < j]
