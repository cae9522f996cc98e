"""A recipe: how a model is trained and chosen.

The model that is evaluated and chosen need not be the one that the last step left: it may be an average of weights.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.adam import adam

from narlab.common.errors import UsageError, check_integer, unknown
from narlab.data import Dataset
from narlab.evaluation import evaluate, metrics
from narlab.models import Batch, Network, Prediction, make_batch
from narlab.training import randomness

if TYPE_CHECKING:
    from narlab.training.run import ResolvedRun

Tensors = dict[str, Tensor]
SCHEDULES = ("cosine", "constant")
COUNTS = ("steps", "test_every")
SHARES = ("final_share", "averaging")


class LastWeights:
    """No average: the model that is trained is evaluated. It is also the base of those that keep something."""

    def __init__(self, model: Network) -> None:
        self.trained = model

    @property
    def model(self) -> Network:
        """The model that is evaluated and chosen."""
        return self.trained

    def update(self) -> None:
        """Take in the weights after a step."""

    def state_dict(self) -> Tensors:
        """What a checkpoint must keep to go on."""
        return {}

    def load_state_dict(self, state: Tensors) -> None:
        """Go on from what a checkpoint kept."""


class Adam:
    """Adam or, where weights decay, AdamW, with PyTorch's own fused step and the interface of its optimisers.

    PyTorch's classes load its compiler as they are made, which takes longer than a run's first steps.
    """

    def __init__(self, parameters: Iterable[nn.Parameter], **settings: Any) -> None:
        self.param_groups: list[dict[str, Any]] = [{"params": list(parameters), **settings}]
        self.state: dict[int, Tensors] = {}

    @torch.no_grad()
    def step(self) -> None:
        group = self.param_groups[0]
        moved = [(k, weights) for k, weights in enumerate(group["params"]) if weights.grad is not None]
        for k, weights in moved:
            if k not in self.state:
                moments = {"exp_avg": torch.zeros_like(weights), "exp_avg_sq": torch.zeros_like(weights)}
                self.state[k] = {"step": torch.zeros((), device=weights.device), **moments}
        first, second = group["betas"]
        adam(
            [weights for _, weights in moved],
            [weights.grad for _, weights in moved],
            [self.state[k]["exp_avg"] for k, _ in moved],
            [self.state[k]["exp_avg_sq"] for k, _ in moved],
            [],
            [self.state[k]["step"] for k, _ in moved],
            fused=True,
            decoupled_weight_decay=bool(group["weight_decay"]),
            amsgrad=False,
            beta1=first,
            beta2=second,
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            maximize=False,
        )

    def zero_grad(self) -> None:
        for weights in self.param_groups[0]["params"]:
            weights.grad = None

    def state_dict(self) -> dict[str, Any]:
        return {"state": self.state, "param_groups": self.param_groups}

    def load_state_dict(self, kept: dict[str, Any]) -> None:
        """Go on from the state of each parameter, by its number."""
        for k, state in kept["state"].items():
            device = self.param_groups[0]["params"][k].device
            self.state[k] = {name: value.to(device) for name, value in state.items()}


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
        averaging_rises: whether that decay begins low, so that the first weights are soon forgotten.
        dataset, processor, position, readout, relations, pair_features, depth: what the recipe is meant for, where
            the run says nothing; a depth of `None` is the model's own.
        metrics: what is recorded, beside `metric`, by which the model is chosen.
        choose_on: the splits whose mean of `metric` decides.
        validate_every, test_every: training steps between evaluations; only what is validated can be chosen.
            `validate_every=None` is a tenth of the steps.

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
    averaging_rises: bool = False
    dataset: str = "l_clrs"
    processor: str = "mpnn_g"
    position: str = "random_scalar"
    readout: str = "paper"
    relations: bool = False
    pair_features: tuple[str, ...] = ()
    depth: int | str | None = None
    metrics: tuple[str, ...] = metrics.DEFAULT
    metric: str = "score"
    choose_on: tuple[str, ...] = ("val",)
    validate_every: int | None = 100
    test_every: int = 1000

    def __post_init__(self) -> None:
        for name in COUNTS:
            check_integer(name, getattr(self, name), 1)
        for name in ("batch_size", "validate_every"):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), 1)
        check_integer("warm_up", self.warm_up, 0)
        for name in ("learning_rate", "clip", "eps"):
            _check_positive(name, getattr(self, name))
        if not 0 <= self.weight_decay < math.inf:
            raise UsageError(f"weight_decay must be a finite number of at least 0, got {self.weight_decay!r}")
        for name in SHARES:
            check_share(name, getattr(self, name))
        if len(self.betas) != 2 or not all(0 <= beta < 1 for beta in self.betas):
            raise UsageError(f"betas must be two numbers from 0 to below 1, got {self.betas!r}")
        if self.schedule not in SCHEDULES:
            raise unknown("schedule", self.schedule, SCHEDULES)
        if not self.choose_on:
            raise UsageError("choose_on must name at least one split, such as 'val'")
        if "test" in self.choose_on:
            raise UsageError("choose_on can't name 'test': a number that was chosen by its test is no number")
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

    def optimiser(self, parameters: Iterable[nn.Parameter]) -> "Adam | torch.optim.Optimizer":
        """A new optimiser; its learning rate is set before each step."""
        return Adam(parameters, lr=self.learning_rate, betas=self.betas, eps=self.eps, weight_decay=self.weight_decay)

    def average(self, model: Network) -> LastWeights:
        """The recipe's part of a checkpoint, which also says which weights are evaluated."""
        if self.averaging is None:
            return LastWeights(model)
        from narlab.training.recipes._average import MovingAverage  # with PyTorch's compiler

        return MovingAverage(model, self.averaging, rises=self.averaging_rises)

    def check(self, run: "ResolvedRun") -> None:
        """Raise a `UsageError` if the recipe can't train the run."""

    def splits(self, run: "ResolvedRun") -> dict[str, Dataset]:
        """The data: what batches come from, what `choose_on` names, and "test", which is recorded."""
        return {name: run.split(name) for name in ("train", "val", "test")}

    @property
    def validated(self) -> tuple[str, ...]:
        """The splits that are evaluated along training: those that decide, and "val" in any case."""
        return tuple(dict.fromkeys(("val", *self.choose_on)))

    @property
    def varies(self) -> bool:
        """Whether batches differ in size or depth, so that one step does not take as long as another."""
        return False

    def tests_after(self, step: int) -> bool:
        """Whether a model that is validated after `step` is tested, too; the chosen one is in any case."""
        return step % self.test_every == 0 or step == self.steps

    def batch(self, run: "ResolvedRun", splits: Mapping[str, Dataset], step: int) -> Batch:
        """The batch of the step after `step` others: passes over "train" in an order that the run's seed decides."""
        samples, size = splits["train"], run.batch_size
        first, end = step * size, max(run.steps, step + 1) * size

        def upcoming(count: int) -> np.ndarray:
            return randomness.indices(run.seed, first, min(first + count, end), len(samples))

        return make_batch(
            samples.read_ahead(upcoming(size), upcoming), randomness.generator(run.seed, randomness.BATCHES, step)
        )

    def sample_batch(self, run: "ResolvedRun", step: int) -> Batch:
        """A batch like that of the step after `step` others, made of the first samples of the data, which is quick."""
        splits = {name: split[: run.batch_size] for name, split in self.splits(run).items()}
        return self.batch(run, splits, 0)

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

    def is_better(self, columns: Mapping[str, Any], best: Mapping[str, Any]) -> bool:
        """Whether an evaluation is worth more than another, by whatever the metric's direction is."""
        return not metrics.better(self.metric, self.value(best), self.value(columns))

    def depths_to_choose(self) -> tuple[int | str, ...]:
        """The depths among which the chosen model gets one, by `value`; the first of equals. None: it keeps its own."""
        return ()

    def protocol(self, run: "ResolvedRun") -> dict[str, Any]:
        """What numbers of two runs must have in common to be compared: data, depth, what is chosen on, the metric."""
        names = ("dataset", "n", "test_n", "graphs", "samples", "test_samples", "warm_start")
        data = {name: getattr(run, name) for name in names}
        rule = {"depth": run.depth, "choose_on": list(self.choose_on), "metric": self.metric}
        return {**{name: value for name, value in data.items() if value is not None}, **rule}


def _check_positive(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise UsageError(f"{name} must be a positive number, got {value!r}")


def check_share(name: str, value: float | None) -> None:
    if value is not None and not 0 <= value < 1:
        raise UsageError(f"{name} must be a number from 0 to below 1, got {value!r}")
