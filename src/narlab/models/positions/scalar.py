"""Scalar index: i/N for node i, the benchmark's own."""

from torch import Tensor

from narlab.models.batch import Batch
from narlab.specs import Location, Probe, Type

PROBE = Probe.input("pos", Location.NODE, Type.SCALAR)


def values(batch: Batch, training: bool) -> Tensor:
    return batch.inputs["pos"]  # [B, N]
