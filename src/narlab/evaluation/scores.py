"""Scores: the benchmark's, and the paper's stricter one at the level of graphs."""

from dataclasses import dataclass

import torch
from torch import Tensor

from narlab import algorithms
from narlab.models.batch import Tensors
from narlab.models.readouts import harden
from narlab.specs import Probe, Type

MASKED = -1.0


@dataclass(frozen=True)
class Scores:
    """The scores of one set of predictions: means over the outputs, and each output's own."""

    score: float
    graph_score: float
    by_output: dict[str, float]
    by_output_graph: dict[str, float]


def scores(algorithm: str, logits: Tensors, truth: Tensors) -> Scores:
    """The scores of all samples together: join the batches of a set before, since a score is no mean over batches."""
    probes = algorithms.get(algorithm).outputs
    return scores_of_values(algorithm, {probe.name: harden(probe, logits[probe.name]) for probe in probes}, truth)


def scores_of_values(algorithm: str, predicted: Tensors, truth: Tensors) -> Scores:
    """The scores of predictions that are values of the outputs already."""
    probes = algorithms.get(algorithm).outputs
    node = {probe.name: element_score(probe, predicted[probe.name], truth[probe.name]) for probe in probes}
    graph = {probe.name: graph_score(probe, predicted[probe.name], truth[probe.name]) for probe in probes}
    return Scores(sum(node.values()) / len(node), sum(graph.values()) / len(graph), node, graph)


def hint_scores(algorithm: str, logits: Tensors, rows: Tensors, lengths: Tensor) -> dict[str, float]:
    """The benchmark's score of each decoded hint: [B, T - 1, ...] against rows 1 to T - 1 of [B, T, ...].

    It is the mean of the steps' scores, each weighed with the number of samples that took the step.
    """
    found = {}
    for probe in algorithms.get(algorithm).hints:
        if probe.name in logits:
            hard, total = harden(probe, logits[probe.name]), 0.0
            for t in range(hard.shape[1]):
                if taken := int((active := lengths > t + 1).sum()):
                    total += taken * element_score(probe, hard[active, t], rows[probe.name][active, t + 1])
            found[probe.name] = total / max(int((lengths - 1).sum()), 1)
    return found


def element_score(probe: Probe, predicted: Tensor, truth: Tensor) -> float:
    """The benchmark's score of one probe: an error for scalars, F1 for masks, else the share of right elements."""
    if probe.type is Type.SCALAR:
        return float((predicted - truth).square().mean())
    if probe.type is Type.MASK:
        return f1(predicted, truth)
    right, counts = correct(probe, predicted, truth)
    return float(right[counts].double().mean())


def graph_score(probe: Probe, predicted: Tensor, truth: Tensor) -> float:
    """The share of graphs whose every element that counts is right; the element score where a graph has but one."""
    if probe.type is Type.SCALAR:
        return element_score(probe, predicted, truth)
    right, counts = correct(probe, predicted, truth)
    if right.ndim == 1:
        return element_score(probe, predicted, truth)
    return float((right | ~counts).flatten(1).all(1).double().mean())


def correct(probe: Probe, predicted: Tensor, truth: Tensor) -> tuple[Tensor, Tensor]:
    """Which elements are right, and which ones count: those that are not masked."""
    if probe.type in (Type.MASK_ONE, Type.CATEGORICAL):
        return predicted.argmax(-1) == truth.argmax(-1), (truth != MASKED).all(-1)
    return predicted == truth, truth != MASKED if probe.type is Type.MASK else torch.ones_like(truth, dtype=torch.bool)


def f1(predicted: Tensor, truth: Tensor) -> float:
    """F1 over the elements that are not masked; precision and recall are 1 where there is nothing to find."""
    counts = truth != MASKED
    yes, true = (predicted > 0.5) & counts, (truth > 0.5) & counts
    hits, said, there = int((yes & true).sum()), int(yes.sum()), int(true.sum())
    precision = hits / said if said else 1.0
    recall = hits / there if there else 1.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
