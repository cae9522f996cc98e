"""Metrics, one file each: what counts as right.

A file declares `METRIC`, a `Metric`; its name is the file's. Others come from installed packages (entry points of
`narlab.metrics`), as `package.module:NAME` wherever a name goes, or as objects.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from narlab.algorithms.engine import Algorithm
from narlab.common.catalogue import Catalogue
from narlab.common.errors import UsageError
from narlab.data import Dataset
from narlab.specs import Probe, Type

__all__ = [
    "CATALOGUE",
    "DEFAULT",
    "MASKED",
    "MEASURED",
    "Arrays",
    "Counts",
    "Instances",
    "Level",
    "Metric",
    "better",
    "check_number",
    "column",
    "correct",
    "f1",
    "get",
    "get_all",
    "names",
    "per_graph",
    "share",
    "worst",
]

MASKED = -1  # the benchmark's value of an element that does not count
Arrays = Mapping[str, np.ndarray]
TAKEN = ("data", "n", "graphs", "count", "metrics", "description", "seed", "date", "versions")
"""Names of other columns of a measurement, in tables and files."""


class Level(StrEnum):
    """What a metric judges, and what a row of its counts belongs to.

    Elements are pooled, so their counts have a row per graph; those of pairs have a row per two graphs.
    """

    ELEMENT = "element"
    GRAPH = "graph"
    PAIR = "pair"


@dataclass(frozen=True)
class Instances:
    """What a model was asked: arrays [G, ...] by probe name, in the probes' dtypes, and the data set's marks."""

    algorithm: Algorithm
    inputs: Arrays = field(default_factory=dict)
    outputs: Arrays = field(default_factory=dict)
    marks: Arrays = field(default_factory=dict)


@dataclass(frozen=True)
class Counts:
    """What a value is made of: `values` [G, K] of each graph (or pair), and the `score` of their sums [..., K].

    `output` names what the counts are of, where a metric has counts for each output.

    >>> right_of_all = Counts(np.array([[3, 4], [1, 4]]), lambda sums: sums[..., 0] / sums[..., 1])
    >>> right_of_all.value
    0.5
    """

    values: np.ndarray
    score: Callable[[np.ndarray], np.ndarray]
    output: str = ""

    @property
    def value(self) -> float:
        """The score of all rows together."""
        return float(self.score(self.values.sum(0)))


def always(algorithm: Algorithm, dataset: Dataset) -> bool:
    """A metric of all algorithms and data sets."""
    return True


def no_details(counts: Sequence[Counts]) -> dict[str, float]:
    """A metric whose value says it all."""
    return {}


def no_remarks(details: Mapping[str, float]) -> tuple[str, ...]:
    """A metric that a table says it all of."""
    return ()


@dataclass(frozen=True)
class Metric:
    """One number for a model on a data set.

    `counts(instances, predicted)` gives the `Counts` of each output (or one for all), from the inputs, outputs and
    marks of the instances and the predicted arrays [G, ...] by output name, in the probes' dtypes. The value is the
    mean of their scores; its 95 % interval is a bootstrap over their rows.

    `suffix` is what logs append to a split's name (`val_graph`; nothing for the benchmark's score). `applies` says
    where the metric has a meaning, `needs` in words what it takes. `is_share` are values from 0 to 1, shown in
    percent. `details` are further numbers for files, `remarks` on them lines for people.
    """

    name: str
    level: Level
    counts: Callable[[Instances, Arrays], Sequence[Counts]]
    higher_is_better: bool = True
    is_share: bool = True
    suffix: str | None = None
    applies: Callable[[Algorithm, Dataset], bool] = always
    needs: str = ""
    details: Callable[[Sequence[Counts]], dict[str, float]] = no_details
    remarks: Callable[[Mapping[str, float]], tuple[str, ...]] = no_remarks

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise UsageError(f"a metric's name goes into the names of columns, so {self.name!r} must be an identifier")
        if self.name in TAKEN:
            raise UsageError(f"a metric can't be called {self.name!r}, as another column is; nor {', '.join(TAKEN)}")
        object.__setattr__(self, "level", Level(self.level))
        if self.suffix is None:
            object.__setattr__(self, "suffix", self.name)

    @property
    def title(self) -> str:
        """The heading of its column in a table."""
        return self.name.replace("_", " ") + (" %" if self.is_share else "")

    def text(self, value: float) -> str:
        """A value for people, under `title`."""
        return f"{100 * value:.2f}" if self.is_share else f"{value:.4g}"


def correct(probe: Probe, predicted: ArrayLike, truth: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Which elements [G, ...] are right, and which ones count: those that are not masked."""
    predicted, truth = np.asarray(predicted), np.asarray(truth)
    if probe.type in (Type.MASK_ONE, Type.CATEGORICAL):
        return predicted.argmax(-1) == truth.argmax(-1), (truth != MASKED).all(-1)
    counted = truth != MASKED if probe.type is Type.MASK else np.ones(truth.shape, bool)
    return predicted == truth, counted


def per_graph(*elements: np.ndarray) -> np.ndarray:
    """The sum of each of `elements` [G, ...] over every graph, [G, K]."""
    return np.stack([array.reshape(len(array), -1).sum(1, dtype=np.float64) for array in elements], 1)


def share(sums: np.ndarray) -> np.ndarray:
    """What is right [..., 0] of what counts [..., 1]; NaN where nothing does.

    >>> share(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [0.75, nan]
    """
    with np.errstate(invalid="ignore"):
        return sums[..., 0] / sums[..., 1]


def f1(sums: np.ndarray) -> np.ndarray:
    """F1 of hits, elements said and elements there; precision and recall are 1 where there is nothing to find.

    >>> float(f1(np.array([1, 2, 2])))  # one hit, one said in vain, one missed
    0.5
    """
    hits, said, there = np.moveaxis(sums, -1, 0)
    precision = np.where(said > 0, hits / np.maximum(said, 1), 1.0)
    recall = np.where(there > 0, hits / np.maximum(there, 1), 1.0)
    total = precision + recall
    return np.where(total > 0, 2 * precision * recall / np.where(total > 0, total, 1.0), 0.0)


CATALOGUE = Catalogue(
    kind="metric",
    folder="narlab.evaluation.metrics",
    attribute="METRIC",
    group="narlab.metrics",
    accepts=lambda thing: isinstance(thing, Metric),
    wanted="a narlab.evaluation.metrics.Metric",
)
DEFAULT = ("score", "graph_score")
"""What `evaluate` scores, and a run logs."""
MEASURED = (*DEFAULT, "valid", "valid_elements", "gap", "pairs")
"""What `measure` and `narlab evaluate` show, where it applies."""


def names() -> tuple[str, ...]:
    """The names of all metrics.

    >>> {"score", "graph_score", "pairs"} <= set(names())
    True
    """
    return CATALOGUE.names()


def get(metric: str | Metric) -> Metric:
    """The metric that a name, a text `package.module:NAME` or a `Metric` stands for.

    >>> get("graph_score").level
    <Level.GRAPH: 'graph'>
    """
    return CATALOGUE.get(metric)


def get_all(metrics: Iterable[str | Metric]) -> tuple[Metric, ...]:
    """Several metrics, none of whose numbers would go by the name of another's.

    >>> [metric.name for metric in get_all(["score", "graph_score"])]
    ['score', 'graph_score']
    """
    chosen = tuple(dict.fromkeys(map(get, metrics)))
    if not chosen:
        raise UsageError(f"no metric is named; known: {', '.join(names())}")
    for fact in ("name", "suffix"):
        said = [getattr(metric, fact) for metric in chosen]
        for text in said:
            if said.count(text) > 1:
                raise UsageError(f"two metrics have the {fact} {text!r}: their columns would be the same")
    return chosen


def column(split: str, metric: str | Metric) -> str:
    """The name of a metric's number on a split, in logs and results.

    >>> column("val", "score"), column("val", "graph_score"), column("test", "pairs")
    ('val', 'val_graph', 'test_pairs')
    """
    suffix = get(metric).suffix
    return f"{split}_{suffix}" if suffix else split


def better(metric: str | Metric, new: float, old: float) -> bool:
    """Whether `new` is as good as `old` or better: a run keeps the last among its best models.

    >>> better("score", 0.9, 0.8), better("score", 0.9, 0.9), better("score", 0.7, 0.8)
    (True, True, False)
    """
    return new >= old if get(metric).higher_is_better else new <= old


def worst(metric: str | Metric) -> float:
    """The value that every other is better than: where choosing begins."""
    return -math.inf if get(metric).higher_is_better else math.inf


def check_number(metric: str | Metric, value: float) -> float:
    """`value`, if a model can be chosen by it; it may be infinite, as the gap of an answer that is no solution."""
    if math.isnan(value):
        raise UsageError(
            f"the metric {get(metric).name!r} is nan, so no model can be chosen by it: nothing that it counts is in "
            "the data, or the model's outputs are no numbers; choose by another metric or on other data"
        )
    return value
