"""Random scalar index: in training, for half of the graphs, sorted random numbers instead of i/N."""

from torch import Tensor

from narlab.models.batch import Batch
from narlab.specs import Location, Probe, Type

PROBE = Probe.input("pos", Location.NODE, Type.SCALAR)


def values(batch: Batch, training: bool) -> Tensor:
    return batch.random_pos if training else batch.inputs["pos"]  # [B, N]
