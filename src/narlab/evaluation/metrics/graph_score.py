"""The paper's stricter score: the share of graphs in which every element that counts is right.

Where a graph has but one element, and for scalars, it is the benchmark's score.
"""

import numpy as np
from numpy.typing import ArrayLike

from narlab.evaluation.metrics import Arrays, Counts, Instances, Level, Metric, correct, per_graph, share
from narlab.evaluation.metrics.score import element_counts
from narlab.specs import Probe, Type


def counts(instances: Instances, predicted: Arrays) -> list[Counts]:
    return [
        graph_counts(probe, predicted[probe.name], instances.outputs[probe.name])
        for probe in instances.algorithm.outputs
    ]


def graph_counts(probe: Probe, predicted: ArrayLike, truth: ArrayLike) -> Counts:
    """The counts of one probe's values [G, ...].

    >>> from narlab.specs import Location
    >>> parent = Probe.output("pi", Location.NODE, Type.POINTER)
    >>> graph_counts(parent, [[0, 0, 1], [2, 2, 2]], [[0, 0, 2], [2, 2, 2]]).values.tolist()  # right, all
    [[0.0, 1.0], [1.0, 1.0]]
    """
    right, counted = correct(probe, predicted, truth)
    if probe.type is Type.SCALAR or right.ndim == 1:
        return element_counts(probe, predicted, truth)
    whole = (right | ~counted).reshape(len(right), -1).all(1)
    return Counts(per_graph(whole, np.ones(whole.shape)), share, probe.name)


METRIC = Metric("graph_score", Level.GRAPH, counts, suffix="graph")
