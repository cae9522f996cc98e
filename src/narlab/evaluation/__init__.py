"""The training loss; predictions, metrics and their intervals in the files beside."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, log_softmax

from narlab import algorithms
from narlab.common import lazily
from narlab.evaluation import metrics
from narlab.evaluation.metrics import MASKED
from narlab.evaluation.prediction import evaluate, predict
from narlab.evaluation.scores import Scores, hint_scores, scores
from narlab.models import Batch, Prediction
from narlab.specs import Probe, Type

if TYPE_CHECKING:
    from narlab.evaluation.measurement import Measurement, measure
    from narlab.evaluation.user_instances import as_dataset
else:
    _HOME = "narlab.evaluation.measurement"
    __getattr__ = lazily(
        __name__,
        {
            "Measurement": f"{_HOME}:Measurement",
            "measure": f"{_HOME}:measure",
            "as_dataset": "narlab.evaluation.user_instances:as_dataset",
        },
    )

__all__ = [
    "Measurement",
    "Scores",
    "as_dataset",
    "evaluate",
    "hint_loss",
    "hint_scores",
    "loss",
    "measure",
    "metrics",
    "output_loss",
    "predict",
    "scores",
]

SMALLEST = 1e-12


def loss(prediction: Prediction, batch: Batch) -> Tensor:
    """The sum over outputs and decoded hints, each with weight 1, and the model's own penalty: gradients go through it.

    >>> from narlab import data, models
    >>> batch = models.make_batch(data.custom("bfs", n=8, count=4))
    >>> loss(models.build("bfs", hidden=8)(batch), batch).backward()
    """
    algorithm = algorithms.get(batch.algorithm)
    total = prediction.penalty
    for probe in algorithm.outputs:
        total = total + output_loss(probe, prediction.outputs[probe.name], batch.outputs[probe.name])
    for probe in algorithm.hints:
        if probe.name in prediction.hints:
            assert batch.hints is not None
            total = total + hint_loss(probe, prediction.hints[probe.name], batch.hints[probe.name], batch.lengths)
    return total


def output_loss(probe: Probe, logits: Tensor, truth: Tensor) -> Tensor:
    """The mean over all elements that are not masked."""
    losses, counts = elementwise(probe, logits, truth)
    return losses.sum() / counts.sum()


def hint_loss(probe: Probe, logits: Tensor, rows: Tensor, lengths: Tensor) -> Tensor:
    """Predictions [B, T - 1, ...] against rows 1 to T - 1: one mean over all elements of all steps that took place."""
    steps = logits.shape[1]
    if rows.shape[1] < 2:  # a trajectory of one row has nothing to predict
        return logits.sum() * 0.0
    losses, counts = elementwise(probe, logits, rows[:, 1 : steps + 1])
    active = torch.arange(1, steps + 1, device=logits.device) < lengths.to(logits.device)[:, None]  # [B, T - 1]
    weight = active.reshape(active.shape + (1,) * (losses.ndim - 2))
    return (losses * weight).sum() / (counts * weight).sum().clamp_min(SMALLEST)


def elementwise(probe: Probe, logits: Tensor, truth: Tensor) -> tuple[Tensor, Tensor]:
    """The loss of each element, zero where it is masked, and 1 for each element that counts."""
    if probe.type is Type.SCALAR:
        losses = (logits - truth).square()
        return losses, torch.ones_like(losses)
    if probe.type is Type.MASK:
        counts = (truth != MASKED).float()
        return binary_cross_entropy_with_logits(logits, truth.clamp_min(0.0), reduction="none") * counts, counts
    if probe.type is Type.POINTER:
        losses = -log_softmax(logits, -1).gather(-1, truth[..., None].long())[..., 0]
        return losses, torch.ones_like(losses)
    chosen = (truth == 1).float()  # one-hot; a masked category has no 1
    return -(log_softmax(logits, -1) * chosen).sum(-1), chosen.sum(-1)
