"""Losses and scores."""

from narlab.evaluation.losses import loss
from narlab.evaluation.scores import hint_scores, scores

__all__ = ["hint_scores", "loss", "scores"]
