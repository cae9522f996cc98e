"""Losses, predictions, metrics and their intervals."""

from typing import TYPE_CHECKING

from narlab.common import lazily
from narlab.evaluation import metrics
from narlab.evaluation.losses import loss
from narlab.evaluation.prediction import evaluate, predict
from narlab.evaluation.scores import Scores, hint_scores, scores

if TYPE_CHECKING:
    from narlab.evaluation.measurement import Measurement, measure
else:
    _HOME = "narlab.evaluation.measurement"
    __getattr__ = lazily(__name__, {"Measurement": f"{_HOME}:Measurement", "measure": f"{_HOME}:measure"})

__all__ = ["Measurement", "Scores", "evaluate", "hint_scores", "loss", "measure", "metrics", "predict", "scores"]
