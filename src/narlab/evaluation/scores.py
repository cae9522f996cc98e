"""Scores: the values of metrics on a set of predictions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from torch import Tensor

from narlab import algorithms
from narlab.evaluation import metrics
from narlab.evaluation.metrics import Arrays, Counts, Instances, Metric
from narlab.evaluation.metrics.graph_score import graph_counts
from narlab.evaluation.metrics.score import element_counts
from narlab.models.batch import Tensors
from narlab.models.readouts import harden
from narlab.specs import Probe


@dataclass(frozen=True)
class Scores(Mapping[str, float]):
    """The values of metrics by name; `parts` has those of each output, whose mean a value is.

    >>> scores = Scores({"score": {"topo": 0.5, "topo_head": 1.0}, "valid": {"": 0.25}})
    >>> scores["score"], scores["valid"], list(scores)
    (0.75, 0.25, ['score', 'valid'])
    """

    parts: dict[str, dict[str, float]]

    @classmethod
    def of_counts(cls, counts: Mapping[str, Sequence[Counts]]) -> "Scores":
        """The scores of all counts of each metric."""
        return cls({name: {part.output: part.value for part in parts} for name, parts in counts.items()})

    def __getitem__(self, metric: str) -> float:
        values = self.parts[metric].values()
        return sum(values) / len(values)

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def score(self) -> float:
        """The benchmark's score."""
        return self["score"]

    @property
    def graph_score(self) -> float:
        """The share of graphs that are right in all of their elements."""
        return self["graph_score"]

    @property
    def by_output(self) -> dict[str, float]:
        """The benchmark's score of each output."""
        return self.parts["score"]

    @property
    def by_output_graph(self) -> dict[str, float]:
        """The graph score of each output."""
        return self.parts["graph_score"]


def scores(algorithm: str, logits: Tensors, truth: Tensors) -> Scores:
    """The default scores of a model's outputs [G, ...] by name, before they are turned into values.

    Join the batches of a set before: a score of all samples together is no mean over batches.

    >>> import torch
    >>> logits = torch.tensor([[[0.1, 2.0], [3.0, 0.0]]])  # one graph: node 0 points to 1, node 1 to 0
    >>> found = scores("bfs", {"pi": logits}, {"pi": torch.tensor([[1, 1]])})
    >>> found.score, found.graph_score
    (0.5, 0.0)
    """
    probes = algorithms.get(algorithm).outputs
    return scores_of_values(algorithm, {probe.name: harden(probe, logits[probe.name]) for probe in probes}, truth)


def scores_of_values(algorithm: str, predicted: Tensors, truth: Tensors) -> Scores:
    """The default scores of predictions that are values of the outputs already."""
    return Scores.of_counts(counts_of_values(algorithm, predicted, truth))


def counts_of_values(algorithm: str, predicted: Tensors, truth: Tensors) -> dict[str, Sequence[Counts]]:
    """The counts of the default metrics, which look at nothing but the outputs."""
    instances = Instances(algorithms.get(algorithm), outputs=_arrays(truth))
    return counts_of(metrics.get_all(metrics.DEFAULT), instances, _arrays(predicted))


def counts_of(chosen: Iterable[Metric], instances: Instances, predicted: Arrays) -> dict[str, Sequence[Counts]]:
    """The counts of each metric, by its name."""
    counts = {metric.name: metric.counts(instances, predicted) for metric in chosen}
    for name, parts in counts.items():
        rows = {np.shape(part.values)[:1] for part in parts if np.ndim(part.values) == 2}
        if len(rows) != 1:
            raise TypeError(f"the metric {name!r} must give counts [G, K], and the same rows for every output")
    return counts


def _arrays(tensors: Tensors) -> Arrays:
    return {name: tensor.detach().cpu().numpy() for name, tensor in tensors.items()}


def hint_scores(algorithm: str, logits: Tensors, rows: Tensors, lengths: Tensor) -> dict[str, float]:
    """The benchmark's score of each decoded hint: [B, T - 1, ...] against rows 1 to T - 1 of [B, T, ...].

    It is the mean of the steps' scores, each weighed with the number of samples that took the step.

    >>> from narlab import data, models
    >>> batch = models.make_batch(data.custom("bfs", n=8, count=4, hints=True))
    >>> hints = models.build("bfs", hidden=8, hints="decoded_only")(batch).hints
    >>> sorted(hint_scores("bfs", hints, batch.hints, batch.lengths))
    ['pi_h', 'reach_h']
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


def element_score(probe: Probe, predicted: ArrayLike, truth: ArrayLike) -> float:
    """The benchmark's score of one probe's values [G, ...]."""
    return element_counts(probe, predicted, truth).value


def graph_score(probe: Probe, predicted: ArrayLike, truth: ArrayLike) -> float:
    """The graph score of one probe's values [G, ...]."""
    return graph_counts(probe, predicted, truth).value
