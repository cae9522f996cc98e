"""The benchmark's score: F1 of masks, the share of right elements of pointers and one-hots, the error of scalars.

Elements are pooled over all graphs; masked ones don't count. An algorithm's score is the mean over its outputs.
"""

import numpy as np
from numpy.typing import ArrayLike

from narlab.evaluation.metrics import (
    MASKED,
    Arrays,
    Counts,
    Instances,
    Level,
    Metric,
    correct,
    f1,
    per_graph,
    share,
)
from narlab.specs import Probe, Type


def counts(instances: Instances, predicted: Arrays) -> list[Counts]:
    return [
        element_counts(probe, predicted[probe.name], instances.outputs[probe.name])
        for probe in instances.algorithm.outputs
    ]


def element_counts(probe: Probe, predicted: ArrayLike, truth: ArrayLike) -> Counts:
    """The counts of one probe's values [G, ...].

    >>> from narlab.specs import Location
    >>> parent = Probe.output("pi", Location.NODE, Type.POINTER)
    >>> element_counts(parent, [[0, 0, 1], [2, 2, 2]], [[0, 0, 2], [2, 2, 2]]).values.tolist()  # right, all
    [[2.0, 3.0], [3.0, 3.0]]
    """
    predicted, truth = np.asarray(predicted), np.asarray(truth)
    if probe.type is Type.SCALAR:
        squares = np.square(predicted - truth, dtype=np.float64)
        return Counts(per_graph(squares, np.ones(squares.shape)), share, probe.name)
    if probe.type is Type.MASK:
        counted = truth != MASKED
        said, there = (predicted > 0.5) & counted, (truth > 0.5) & counted
        return Counts(per_graph(said & there, said, there), f1, probe.name)
    right, counted = correct(probe, predicted, truth)
    return Counts(per_graph(right & counted, counted), share, probe.name)


METRIC = Metric("score", Level.ELEMENT, counts, suffix="")
