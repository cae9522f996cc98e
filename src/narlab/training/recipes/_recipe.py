"""A recipe: how a model is trained and chosen."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from narlab.common.errors import UsageError, check_integer, unknown
from narlab.data import Dataset
from narlab.evaluation import evaluate, metrics
from narlab.models import Batch, Network, Prediction, make_batch
from narlab.training import randomness
from narlab.training.averaging import LastWeights, MovingAverage

if TYPE_CHECKING:
    from narlab.training.run import ResolvedRun

SCHEDULES = ("cosine", "constant")
COUNTS = ("steps", "validate_every", "test_every")
SHARES = ("final_share", "averaging")


@dataclass(frozen=True)
class Recipe:
    """How a model is trained and chosen: numbers, and behaviour that a subclass may replace.

    A recipe is one file under `training/recipes/`, or comes from another package: see `narlab.common.catalogue`. A run
    has settings of its own for those of these fields that it knows; the others are options of the recipe's name,
    `recipe="paper:warm_up=100"`.

    Arguments:
        steps: the number of training steps.
        batch_size: graphs in a batch; `None`: as many as suit the processor.
        learning_rate: the largest one; `schedule` is "cosine", down to `final_share` of it, or "constant".
        warm_up: so many first steps in which the learning rate rises.
        betas, eps, weight_decay: of Adam, or of AdamW where weights decay.
        clip: the largest norm of the gradient.
        averaging: the decay of an exponential moving average of the weights, which then are evaluated; `None`: none.
        depth: the number of recurrent steps T where the run has none; `None`: the model's own.
        metrics: what is recorded, beside `metric`, by which the model is chosen.
        choose_on: the splits whose mean of `metric` decides.
        validate_every, test_every: training steps between evaluations; only what is validated can be chosen.

    >>> import narlab.training.recipes as recipes
    >>> paper = recipes.get("paper")
    >>> paper.learning_rate_at(0), round(paper.learning_rate_at(10_000), 9)
    (0.0001, 5e-05)
    """

    steps: int = 20_000
    batch_size: int | None = None
    learning_rate: float = 1e-4
    schedule: str = "cosine"
    final_share: float = 0.0
    warm_up: int = 0
    betas: tuple[float, ...] = (0.9, 0.999)
    eps: float = 1e-8
    weight_decay: float = 0.0
    clip: float = 1.0
    averaging: float | None = None
    depth: int | str | None = None
    metrics: tuple[str, ...] = metrics.DEFAULT
    metric: str = "score"
    choose_on: tuple[str, ...] = ("val",)
    validate_every: int = 100
    test_every: int = 1000

    def __post_init__(self) -> None:
        for name in COUNTS:
            check_integer(name, getattr(self, name), 1)
        if self.batch_size is not None:
            check_integer("batch_size", self.batch_size, 1)
        check_integer("warm_up", self.warm_up, 0)
        for name in ("learning_rate", "clip", "eps"):
            _check_positive(name, getattr(self, name))
        for name in SHARES:
            _check_share(name, getattr(self, name))
        if len(self.betas) != 2 or not all(0 <= beta < 1 for beta in self.betas):
            raise UsageError(f"betas must be two numbers from 0 to below 1, got {self.betas!r}")
        if self.schedule not in SCHEDULES:
            raise unknown("schedule", self.schedule, SCHEDULES)
        self._check_metrics()

    def _check_metrics(self) -> None:
        for name in metrics.DEFAULT:
            if name not in self.metrics:
                raise UsageError(f"metrics must hold {' and '.join(metrics.DEFAULT)}, got {', '.join(self.metrics)}")
        if self.metric not in self.metrics:  # what decides is recorded
            object.__setattr__(self, "metrics", (*self.metrics, self.metric))
        metrics.get_all(self.metrics)

    def learning_rate_at(self, step: int) -> float:
        """The learning rate of the step after `step` others."""
        risen = min(1.0, (step + 1) / self.warm_up) if self.warm_up else 1.0
        if self.schedule == "constant":
            return risen * self.learning_rate
        falling = self.learning_rate * 0.5 * (1 + math.cos(math.pi * step / self.steps))
        return risen * (self.final_share * self.learning_rate + (1 - self.final_share) * falling)

    def optimiser(self, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
        """A new optimiser; its learning rate is set before each step."""
        kind = torch.optim.AdamW if self.weight_decay else torch.optim.Adam
        first, second = self.betas
        return kind(
            parameters,
            self.learning_rate,
            betas=(first, second),
            eps=self.eps,
            weight_decay=self.weight_decay,
            fused=True,
        )

    def average(self, model: Network) -> LastWeights:
        """The recipe's part of a checkpoint, which also says which weights are evaluated."""
        return LastWeights(model) if self.averaging is None else MovingAverage(model, self.averaging)

    def splits(self, run: "ResolvedRun") -> dict[str, Dataset]:
        """The data: what batches come from, what `choose_on` names, and "test", which is recorded."""
        return {name: run.split(name) for name in ("train", "val", "test")}

    def batch(self, run: "ResolvedRun", splits: Mapping[str, Dataset], step: int) -> Batch:
        """The batch of the step after `step` others: passes over "train" in an order that the run's seed decides."""
        samples = splits["train"]
        indices = randomness.batch_indices(run.seed, step, run.batch_size, len(samples))
        return make_batch(samples[indices], randomness.generator(run.seed, randomness.BATCHES, step))

    def predict(self, model: Network, batch: Batch, seed: int) -> Prediction:
        """What the model says of a training batch; `seed` decides what is random about how it is asked."""
        return model(batch)

    def scores(self, model: Network, dataset: Dataset, seed: int) -> Mapping[str, float]:
        """The values of `metrics` by their names; `seed` decides what is random about how the model is asked."""
        return evaluate(model, dataset, metrics=self.metrics, seed=seed)

    def value(self, columns: Mapping[str, Any]) -> float:
        """What an evaluation is worth, from the columns of its line in the metrics log."""
        found = fmean(columns[metrics.column(split, self.metric)] for split in self.choose_on)
        return metrics.check_number(self.metric, found)

    def choose(self, columns: Mapping[str, Any], best: Mapping[str, Any] | None) -> bool:
        """Whether an evaluation is at least as good as the `best` before, if any: the last among the best is kept."""
        value = self.value(columns)
        return best is None or metrics.better(self.metric, value, self.value(best))


def _check_positive(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise UsageError(f"{name} must be a positive number, got {value!r}")


def _check_share(name: str, value: float | None) -> None:
    if value is not None and not 0 <= value < 1:
        raise UsageError(f"{name} must be a number from 0 to below 1, got {value!r}")
