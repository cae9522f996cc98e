"""Edge position: no node knows its index, but each pair knows which of its nodes comes first."""

import torch
from torch import Tensor

from narlab.models.batch import Batch
from narlab.models.positions import AbstractPosition
from narlab.specs import Location, Probe, Type


class Position(AbstractPosition):
    """pos_ij = 1[i < j]; [B, N, N]. See the paper (https://arxiv.org/abs/2211.00692).

    >>> import narlab
    >>> batch = narlab.models.make_batch(narlab.data.custom("bfs", n=3, count=1))
    >>> Position().values(batch, training=False)[0].tolist()
    [[0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """

    probe = Probe.input("pos", Location.EDGE, Type.SCALAR)  # a scalar, so that it never enters the adjacency
    needs_all_pairs = True

    def values(self, batch: Batch, training: bool) -> Tensor:
        graphs, nodes = batch.size
        index = torch.arange(nodes, device=batch.inputs["pos"].device)
        return (index[:, None] < index).float().expand(graphs, nodes, nodes)
