"""Losses, predictions, metrics and their intervals."""

from narlab.evaluation import metrics
from narlab.evaluation.losses import loss
from narlab.evaluation.measurement import Measurement, measure
from narlab.evaluation.prediction import evaluate, predict
from narlab.evaluation.scores import Scores, hint_scores, scores

__all__ = ["Measurement", "Scores", "evaluate", "hint_scores", "loss", "measure", "metrics", "predict", "scores"]
