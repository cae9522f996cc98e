"""The share of elements that are right on their own, as the algorithm's `validity.elements` says.

Elements are pooled over all graphs, and the value is the mean over outputs, as in the benchmark's score. Those that the
benchmark masks don't count.
"""

import numpy as np

from narlab.evaluation.metrics import Arrays, Counts, Instances, Level, Metric, per_graph, share
from narlab.evaluation.metrics._validity import NEEDS, can_judge, judged


def counts(instances: Instances, predicted: Arrays) -> list[Counts]:
    validity, probes = instances.algorithm.validity, instances.algorithm.outputs
    assert validity is not None
    masked = validity.masked(dict(instances.inputs)) if validity.masked is not None else {}
    found = []
    for probe, right in zip(probes, judged(instances, predicted).elements, strict=True):
        counted = ~masked[probe.name] if probe.name in masked else np.ones(right.shape, bool)
        found.append(Counts(per_graph(right & counted, counted), share, probe.name))
    return found


METRIC = Metric("valid_elements", Level.ELEMENT, counts, applies=can_judge, needs=NEEDS)
