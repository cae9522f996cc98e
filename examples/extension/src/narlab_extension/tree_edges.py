"""How many edges too many or too few a predicted spanning forest has, as a share of the right number."""

import numpy as np

from narlab.algorithms.engine import Algorithm
from narlab.data import Dataset
from narlab.evaluation.metrics import Arrays, Counts, Instances, Level, Metric


def has_forest(algorithm: Algorithm, dataset: Dataset) -> bool:
    return any(probe.name == "in_mst" for probe in algorithm.outputs)


def counts(instances: Instances, predicted: Arrays) -> list[Counts]:
    """Of each graph the difference in edges and the right number of them."""
    said, true = (np.triu(arrays["in_mst"] > 0, 1).sum((1, 2)) for arrays in (predicted, instances.outputs))
    values = np.stack([abs(said - true), true], 1).astype(float)  # [G, 2]
    return [Counts(values, lambda sums: sums[..., 0] / np.maximum(sums[..., 1], 1), "in_mst")]


METRIC = Metric(
    "tree_edges",
    Level.GRAPH,
    counts,
    higher_is_better=False,
    applies=has_forest,
    needs="an algorithm with the output in_mst",
)
