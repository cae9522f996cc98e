"""What a model is told of an instance: the probes that are encoded, and their values.

They are random node features, the position encoding in place of `pos`, and the algorithm's other inputs. Inputs of
another form, such as relations between nodes, are further probes: a name in `probes_of` and its values in `values_of`.
"""

from narlab.algorithms.engine import Algorithm
from narlab.models.batch import RANDOM_FEATURES, Batch, Tensors
from narlab.models.positions import AbstractPosition
from narlab.specs import Location, Probe, Type

RANDOM_FEATURES_PROBE = Probe.input("random_features", Location.NODE, Type.CATEGORICAL, categories=RANDOM_FEATURES)


def probes_of(algorithm: Algorithm, position: AbstractPosition) -> tuple[Probe, ...]:
    """The probes that a model of `algorithm` encodes."""
    others = tuple(probe for probe in algorithm.inputs if probe.name != "pos")
    return (RANDOM_FEATURES_PROBE, position.probe, *others)


def values_of(batch: Batch, position: AbstractPosition, *, training: bool) -> Tensors:
    """The values [B, ...] of those probes, by name."""
    pos = position.values(batch, training)
    return {**batch.inputs, position.probe.name: pos, RANDOM_FEATURES_PROBE.name: batch.random_features}
