"""Losses, predictions, scores and their intervals."""

from narlab.evaluation.losses import loss
from narlab.evaluation.measurement import measure
from narlab.evaluation.prediction import evaluate, predict
from narlab.evaluation.scores import hint_scores, scores

__all__ = ["evaluate", "hint_scores", "loss", "measure", "predict", "scores"]
