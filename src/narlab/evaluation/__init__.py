"""Losses and scores."""

from narlab.evaluation.losses import loss
from narlab.evaluation.scores import scores

__all__ = ["loss", "scores"]
