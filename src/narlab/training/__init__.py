"""Training: runs, their folders, and the loop."""

from narlab.training.loop import DivergedError, Interrupted, Result, load, train
from narlab.training.run import Run

__all__ = ["DivergedError", "Interrupted", "Result", "Run", "load", "train"]
