"""What metrics of elements and of graphs share: which elements are right, which count, and scores of their sums."""

import numpy as np
from numpy.typing import ArrayLike

from narlab.specs import Probe, Type

MASKED = -1  # the benchmark's value of an element that does not count


def correct(probe: Probe, predicted: ArrayLike, truth: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Which elements [G, ...] are right, and which ones count: those that are not masked."""
    predicted, truth = np.asarray(predicted), np.asarray(truth)
    if probe.type in (Type.MASK_ONE, Type.CATEGORICAL):
        return predicted.argmax(-1) == truth.argmax(-1), (truth != MASKED).all(-1)
    counted = truth != MASKED if probe.type is Type.MASK else np.ones(truth.shape, bool)
    return predicted == truth, counted


def per_graph(*elements: np.ndarray) -> np.ndarray:
    """The sum of each of `elements` [G, ...] over every graph, [G, K]."""
    return np.stack([array.reshape(len(array), -1).sum(1, dtype=np.float64) for array in elements], 1)


def share(sums: np.ndarray) -> np.ndarray:
    """What is right [..., 0] of what counts [..., 1]; NaN where nothing does.

    >>> share(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [0.75, nan]
    """
    with np.errstate(invalid="ignore"):
        return sums[..., 0] / sums[..., 1]


def f1(sums: np.ndarray) -> np.ndarray:
    """F1 of hits, elements said and elements there; precision and recall are 1 where there is nothing to find.

    >>> float(f1(np.array([1, 2, 2])))  # one hit, one said in vain, one missed
    0.5
    """
    hits, said, there = np.moveaxis(sums, -1, 0)
    precision = np.where(said > 0, hits / np.maximum(said, 1), 1.0)
    recall = np.where(there > 0, hits / np.maximum(there, 1), 1.0)
    total = precision + recall
    return np.where(total > 0, 2 * precision * recall / np.where(total > 0, total, 1.0), 0.0)
