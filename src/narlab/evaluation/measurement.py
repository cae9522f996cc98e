"""What a model is worth on a data set: its scores with their intervals, and as rows of a file."""

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from narlab.algorithms.engine import Algorithm
from narlab.common import csv_cell
from narlab.common.files import parse_json
from narlab.data import Dataset, Description
from narlab.evaluation.bootstrap import Interval, intervals
from narlab.evaluation.metrics import MEASURED, Arrays, Instances, Metric, column, get_all
from narlab.evaluation.prediction import Progress, answer, applicable, no_progress, steps_at
from narlab.evaluation.scores import Scores, counts_of
from narlab.models import Network
from narlab.models import depth as depths

NO_JSON = ("inf", "-inf", "nan")  # numbers that JSON has no form for


@dataclass(frozen=True)
class Measurement:
    """The values of metrics of one model on the first `count` samples of a data set, with their intervals.

    `metrics` are those that were asked for; intervals and further numbers (`details`) go by their names. `depth` is the
    rule that stood in for the model's own, if one did, and `steps` what it comes to.
    """

    description: Description
    count: int
    metrics: tuple[Metric, ...]
    scores: Scores
    intervals: dict[str, Interval]
    details: dict[str, dict[str, float]]
    depth: int | str | None = None
    steps: int | None = None

    @property
    def data(self) -> str:
        """The name of the data set and its split; "custom" for any other."""
        description = self.description
        return (
            description.dataset
            if description.dataset == description.split
            else f"{description.dataset} {description.split}"
        )

    def row(self) -> dict[str, Any]:
        """All numbers, by the names of their columns; scores are shares, 1 is all."""
        numbers: dict[str, Any] = {
            "data": self.data,
            "n": self.description.n,
            "graphs": self.description.graphs,
            "count": self.count,
        }
        if self.depth is not None:
            numbers |= {"depth": self.depth, "steps": self.steps}
        for metric in self.metrics:
            name = metric.name
            interval = self.intervals[name]
            numbers |= {name: self.scores[name], f"{name}_low": interval.low, f"{name}_high": interval.high}
            numbers |= {f"{name}_{detail}": number for detail, number in self.details.get(name, {}).items()}
        return numbers


def measure(
    model: Network,
    dataset: Dataset,
    *,
    metrics: Iterable[str | Metric] | None = None,
    depth: int | str | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Measurement:
    """The values of `metrics` on the whole of `dataset`, with 95 % intervals; without a word, all usual ones.

    `depth` stands in for the model's own; `seed` decides the random node features and the resamples; `progress` is told
    of each batch's graphs.

    >>> from narlab import data, models
    >>> measured = measure(models.build("bfs", hidden=8), data.custom("bfs", n=8, count=10))
    >>> interval = measured.intervals["score"]
    >>> interval.low <= measured.scores["score"] <= interval.high
    True
    """
    chosen = metrics_for(model.algorithm, dataset, metrics)
    answers = answer(model, dataset, depth=depth, seed=seed, progress=progress)
    measured = measure_answers(dataset, *answers, metrics=chosen, seed=seed)
    if depth is None:
        return measured
    return replace(
        measured,
        depth=depths.parse(depth).setting,
        steps=steps_at(depth, dataset[:1].inputs["pos"].shape[1]),
    )


def measure_answers(
    dataset: Dataset, instances: Instances, predicted: Arrays, *, metrics: tuple[Metric, ...], seed: int = 0
) -> Measurement:
    """The values of `metrics` on answers to a whole data set; `seed` decides the resamples."""
    counts = counts_of(metrics, instances, predicted)
    details = {metric.name: metric.details(counts[metric.name]) for metric in metrics}
    return Measurement(
        dataset.description,
        len(dataset),
        metrics,
        Scores.of_counts(counts),
        intervals(counts, seed=seed),
        {name: numbers for name, numbers in details.items() if numbers},
    )


def metrics_for(algorithm: Algorithm, dataset: Dataset, asked: Iterable[str | Metric] | None) -> tuple[Metric, ...]:
    """The metrics that are asked for; without a word, the usual ones that have a meaning here."""
    if asked is not None:
        return applicable(asked, algorithm, dataset)
    return tuple(metric for metric in get_all(MEASURED) if metric.applies(algorithm, dataset))


def as_csv(measured: Sequence[Measurement]) -> bytes:
    """A line per measurement under a line of names."""
    rows = [measurement.row() for measurement in measured]
    columns = dict.fromkeys(name for row in rows for name in row)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: csv_cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode()


def as_json(measured: Sequence[Measurement], **facts: Any) -> bytes:
    """`facts`, and the measurements under "results", each with the values of its outputs."""
    return json_bytes({**facts, "results": [as_dict(measurement) for measurement in measured]})


def as_dict(measurement: Measurement) -> dict[str, Any]:
    """The numbers of a row, and those of each output."""
    outputs = {column("by_output", metric): measurement.scores.parts[metric.name] for metric in measurement.metrics}
    return {**measurement.row(), **outputs}


def json_bytes(content: Any) -> bytes:
    """JSON; numbers that it can't write are texts such as "inf".

    >>> json_bytes({"gap": math.inf}).decode().split()
    ['{', '"gap":', '"inf"', '}']
    """
    return (json.dumps(_replaced(content, _as_text), indent=1, allow_nan=False) + "\n").encode()


def from_json(content: bytes) -> Any:
    """What `json_bytes` has written, with all of its numbers.

    >>> from_json(b'{"gap": "inf"}')
    {'gap': inf}
    """
    return _replaced(parse_json(content), lambda value: float(value) if value in NO_JSON else value)


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _replaced(content: Any, change: Callable[[Any], Any]) -> Any:
    """`content` with every value in its lists and dicts changed."""
    if isinstance(content, dict):
        return {name: _replaced(value, change) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [_replaced(value, change) for value in content]
    return change(content)
