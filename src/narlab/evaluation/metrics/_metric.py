"""A metric: what counts as right, on which level, and which way is better."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from narlab.algorithms.engine import Algorithm
from narlab.common.errors import UsageError
from narlab.data import Dataset

Arrays = Mapping[str, np.ndarray]


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
