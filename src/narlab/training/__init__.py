"""Training: runs, recipes, their folders, and the loop."""

from narlab.training.loop import DivergedError, Interrupted, Result, load, train
from narlab.training.recipes import Recipe
from narlab.training.run import ResolvedRun, Run

__all__ = ["DivergedError", "Interrupted", "Recipe", "ResolvedRun", "Result", "Run", "load", "train"]
