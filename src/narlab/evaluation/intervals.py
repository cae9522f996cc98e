"""95 % intervals of the scores: a bootstrap over graphs.

A resample draws as many graphs as there are, with replacement. Its score needs only how often each graph was drawn, and
a few counts per graph: no prediction is looked at twice.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from narlab import algorithms
from narlab.evaluation.scores import MASKED, correct
from narlab.models.batch import Tensors
from narlab.specs import Probe, Type

RESAMPLES = 1000
TAILS = (0.025, 0.975)
MOST_DRAWS = 2**22  # in memory at once


@dataclass(frozen=True)
class Interval:
    """Where a score lies with a confidence of 95 %."""

    low: float
    high: float


@dataclass(frozen=True)
class Intervals:
    """The intervals of the score and of the graph score."""

    score: Interval
    graph_score: Interval


@dataclass(frozen=True)
class Counts:
    """What a score is made of: `values` [G, K] of each graph, and the score of their sums [..., K]."""

    values: np.ndarray
    score: Callable[[np.ndarray], np.ndarray]


def intervals(algorithm: str, predicted: Tensors, truth: Tensors, *, seed: int = 0) -> Intervals:
    """The intervals around `scores_of_values` of the same arguments; both levels see the same resamples."""
    probes = algorithms.get(algorithm).outputs
    node = [element_counts(probe, predicted[probe.name], truth[probe.name]) for probe in probes]
    graph = [graph_counts(probe, predicted[probe.name], truth[probe.name]) for probe in probes]
    drawn: list[list[np.ndarray]] = [[], []]
    for times in _resamples(len(node[0].values), seed):  # [R, G]
        for level, parts in enumerate((node, graph)):
            drawn[level].append(np.mean([part.score(times @ part.values) for part in parts], 0))
    return Intervals(*(_interval(np.concatenate(values)) for values in drawn))


def element_counts(probe: Probe, predicted: Tensor, truth: Tensor) -> Counts:
    """The counts of `scores.element_score`."""
    if probe.type is Type.SCALAR:
        squares = (predicted - truth).square()
        return Counts(_per_graph(squares, squares == squares), share)
    right, counted = correct(probe, predicted, truth)
    if probe.type is not Type.MASK:
        return Counts(_per_graph(right & counted, counted), share)
    counted = truth != MASKED
    said, there = (predicted > 0.5) & counted, (truth > 0.5) & counted
    return Counts(_per_graph(said & there, said, there), f1)


def graph_counts(probe: Probe, predicted: Tensor, truth: Tensor) -> Counts:
    """The counts of `scores.graph_score`."""
    right, counted = correct(probe, predicted, truth)
    if probe.type is Type.SCALAR or right.ndim == 1:
        return element_counts(probe, predicted, truth)
    whole = (right | ~counted).flatten(1).all(1)
    return Counts(_per_graph(whole, whole | ~whole), share)


def share(sums: np.ndarray) -> np.ndarray:
    """What is right [..., 0] of what counts [..., 1]; NaN where nothing does."""
    with np.errstate(invalid="ignore"):
        return sums[..., 0] / sums[..., 1]


def f1(sums: np.ndarray) -> np.ndarray:
    """F1 of hits, elements said and elements there; precision and recall are 1 where there is nothing to find."""
    hits, said, there = np.moveaxis(sums, -1, 0)
    precision = np.where(said > 0, hits / np.maximum(said, 1), 1.0)
    recall = np.where(there > 0, hits / np.maximum(there, 1), 1.0)
    total = precision + recall
    return np.where(total > 0, 2 * precision * recall / np.where(total > 0, total, 1.0), 0.0)


def _per_graph(*elements: Tensor) -> np.ndarray:
    """The sum of each of `elements` [G, ...] over every graph, [G, K]."""
    return np.stack([each.double().reshape(len(each), -1).sum(1).numpy() for each in elements], 1)


def _resamples(graphs: int, seed: int) -> Iterator[np.ndarray]:
    """How often each graph is drawn in each resample, in pieces [R, G] that together are `RESAMPLES`."""
    generator = np.random.default_rng(seed)
    rows = max(1, MOST_DRAWS // graphs)
    for first in range(0, RESAMPLES, rows):
        size = min(rows, RESAMPLES - first)
        chosen = generator.integers(graphs, size=(size, graphs)) + graphs * np.arange(size)[:, None]
        yield np.bincount(chosen.ravel(), minlength=size * graphs).reshape(size, graphs).astype(np.float64)


def _interval(values: np.ndarray) -> Interval:
    low, high = np.nanquantile(values, TAILS)
    return Interval(float(low), float(high))
