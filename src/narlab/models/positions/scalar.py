"""Scalar index: i/N for node i, the benchmark's own."""

from torch import Tensor

from narlab.models.batch import Batch
from narlab.models.positions import AbstractPosition
from narlab.specs import Location, Probe, Type


class Position(AbstractPosition):
    """pos_i = i / N; [B, N]. See the CLRS benchmark (https://arxiv.org/abs/2205.15659).

    >>> import narlab
    >>> batch = narlab.models.make_batch(narlab.data.custom("bfs", n=4, count=1))
    >>> Position().values(batch, training=False)
    tensor([[0.0000, 0.2500, 0.5000, 0.7500]])
    """

    probe = Probe.input("pos", Location.NODE, Type.SCALAR)

    def values(self, batch: Batch, training: bool) -> Tensor:
        return batch.inputs["pos"]  # [B, N]
