"""What a model is told of an instance: the probes that are encoded, and their values.

They are random node features, the position encoding in place of `pos`, and the algorithm's other inputs; or, with
`relations`, the position encoding and one edge probe that stands for all other inputs.
"""

from narlab.algorithms.engine import Algorithm
from narlab.models import relations as relations_of_pairs
from narlab.models.batch import RANDOM_FEATURES, Batch, Tensors
from narlab.models.positions import AbstractPosition
from narlab.specs import Location, Probe, Type

RANDOM_FEATURES_PROBE = Probe.input("random_features", Location.NODE, Type.CATEGORICAL, categories=RANDOM_FEATURES)


def probes_of(algorithm: Algorithm, position: AbstractPosition, *, relations: bool = False) -> tuple[Probe, ...]:
    """The probes that a model of `algorithm` encodes."""
    if relations:
        probe = relations_of_pairs.probe_of(algorithm)
        return (position.probe,) if probe is None else (position.probe, probe)
    others = tuple(probe for probe in algorithm.inputs if probe.name != "pos")
    return (RANDOM_FEATURES_PROBE, position.probe, *others)


def values_of(batch: Batch, position: AbstractPosition, *, training: bool, related: Algorithm | None = None) -> Tensors:
    """The values [B, ...] of those probes, by name; with `related`, the relations of that algorithm's inputs."""
    pos = position.values(batch, training)
    if related is not None:
        return {position.probe.name: pos, relations_of_pairs.NAME: relations_of_pairs.values_of(related, batch.inputs)}
    return {**batch.inputs, position.probe.name: pos, RANDOM_FEATURES_PROBE.name: batch.random_features}
