"""Order: no node knows its index, but each pair knows which of its nodes comes first and whether it is the next."""

from torch import Tensor

from narlab.models import order
from narlab.models.batch import Batch
from narlab.models.positions._position import AbstractPosition
from narlab.specs import Location, Probe, Type


class Position(AbstractPosition):
    """pos_ij = [i before j, j before i, j is next after i, j is the one before i, i = j]; [B, N, N, 5].

    The order is that of the input `pos`, in tasks with two strings only within each of them. Messages along the edges
    of a graph see it, too. Positions that are relative are of https://arxiv.org/abs/1803.02155.

    >>> import narlab
    >>> batch = narlab.models.make_batch(narlab.data.custom("bfs", n=3, count=1))
    >>> Position().values(batch, training=False)[0, 0].tolist()
    [[0.0, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0]]
    """

    probe = Probe.input("pos", Location.EDGE, Type.CATEGORICAL, categories=5)

    def values(self, batch: Batch, training: bool) -> Tensor:
        return order.relations(batch.inputs)
