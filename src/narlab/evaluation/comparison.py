"""Models side by side on the same instances, and which of their differences are not chance."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from narlab.common.errors import UsageError
from narlab.data import Dataset
from narlab.evaluation.bootstrap import Interval, interval_of, resampled
from narlab.evaluation.measurement import Measurement, as_dict, metrics_for
from narlab.evaluation.metrics import Metric
from narlab.evaluation.prediction import Progress, answer, no_progress
from narlab.evaluation.scores import Scores, counts_of
from narlab.models import Network

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Difference:
    """How much larger a metric is for one model than for another, with the interval of a paired bootstrap."""

    metric: Metric
    first: str
    second: str
    value: float
    interval: Interval

    @property
    def is_chance(self) -> bool:
        """Whether the same models may come out the other way on other instances: the interval holds 0, or is none."""
        return not (self.interval.low > 0 or self.interval.high < 0)

    @property
    def better(self) -> str:
        """The model that the difference speaks for."""
        return self.first if (self.value > 0) is self.metric.higher_is_better else self.second

    @property
    def worse(self) -> str:
        """The other one."""
        return self.second if self.better == self.first else self.first


@dataclass(frozen=True)
class Comparison:
    """What models are worth on one data set, by their names, and the differences of all pairs of them.

    The intervals of differences hold for all pairs of a metric at once with a confidence of 95 %: with more models each
    of them is wider (Bonferroni).
    """

    measured: dict[str, Measurement]
    differences: tuple[Difference, ...]

    def as_dict(self) -> dict[str, Any]:
        """All numbers, for a file."""
        return {
            "models": {name: as_dict(measurement) for name, measurement in self.measured.items()},
            "differences": [
                {
                    "metric": each.metric.name,
                    "first": each.first,
                    "second": each.second,
                    "difference": each.value,
                    "low": each.interval.low,
                    "high": each.interval.high,
                    "is_chance": each.is_chance,
                }
                for each in self.differences
            ],
        }


def compare(
    models: Mapping[str, Network],
    dataset: Dataset,
    *,
    metrics: Iterable[str | Metric] | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Comparison:
    """The values of `metrics` (by default the usual ones) of all models on the whole of `dataset`, and differences.

    All models see the same instances and random features, and are scored on the same resamples of them, so that what is
    hard for all of them is no difference. `seed` decides both.

    >>> from narlab import data, models
    >>> dataset = data.custom("bfs", n=8, count=20)
    >>> found = compare({name: models.build("bfs", hidden=8, depth=2) for name in "ab"}, dataset, metrics=["score"])
    >>> [(each.first, each.second, each.metric.name) for each in found.differences]
    [('a', 'b', 'score')]
    """
    _check(models, dataset)
    some = next(iter(models.values()))
    chosen = metrics_for(some.algorithm, dataset, metrics)
    measured, drawn = {}, {}
    for name, model in models.items():
        counts = counts_of(chosen, *answer(model, dataset, seed=seed, progress=progress))
        drawn[name] = resampled(counts, seed=seed)
        intervals = {metric: interval_of(values) for metric, values in drawn[name].items()}
        measured[name] = Measurement(dataset.description, len(dataset), chosen, Scores.of_counts(counts), intervals, {})
    return Comparison(measured, tuple(_differences(measured, drawn)))


def _check(models: Mapping[str, Network], dataset: Dataset) -> None:
    if len(models) < 2:
        raise UsageError(f"comparing needs two models or more, got {', '.join(models) or 'none'}")
    for name, model in models.items():
        if model.algorithm.name != dataset.algorithm:
            raise UsageError(f"all models must be of {dataset.algorithm}; {name} is of {model.algorithm.name}")


def _differences(
    measured: Mapping[str, Measurement], drawn: Mapping[str, dict[str, np.ndarray]]
) -> Iterable[Difference]:
    pairs = list(combinations(measured, 2))
    tail = (1 - CONFIDENCE) / 2 / len(pairs)
    for metric in next(iter(measured.values())).metrics:
        for first, second in pairs:
            with np.errstate(invalid="ignore"):  # of two infinite gaps there is no difference
                value = measured[first].scores[metric.name] - measured[second].scores[metric.name]
                values = drawn[first][metric.name] - drawn[second][metric.name]
            yield Difference(metric, first, second, value, interval_of(values, (tail, 1 - tail)))
