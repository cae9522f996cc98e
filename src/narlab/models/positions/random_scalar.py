"""Random scalar index: in training, for half of the graphs, sorted random numbers instead of i/N."""

from torch import Tensor

from narlab.models.batch import Batch
from narlab.models.positions import AbstractPosition
from narlab.specs import Location, Probe, Type


class Position(AbstractPosition):
    """pos_i = i / N, in training with probability 1/2 per graph u_(i), the i-th smallest of N draws of U[0, 1]; [B, N].

    So a model sees more positions than those of one size. See the paper (https://arxiv.org/abs/2211.00692).

    >>> import narlab
    >>> batch = narlab.models.make_batch(narlab.data.custom("bfs", n=4, count=8))
    >>> (Position().values(batch, training=True).diff(dim=1) >= 0).all().item()
    True
    """

    probe = Probe.input("pos", Location.NODE, Type.SCALAR)

    def values(self, batch: Batch, training: bool) -> Tensor:
        return batch.random_pos if training else batch.inputs["pos"]  # [B, N]
