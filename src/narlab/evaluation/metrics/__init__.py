"""Metrics, one file each: what counts as right.

A file declares `METRIC`, a `Metric`; its name is the file's. Others come from installed packages (entry points of
`narlab.metrics`), as `package.module:NAME` wherever a name goes, or as objects.
"""

import math
from collections.abc import Iterable

from narlab.common.catalogue import Catalogue
from narlab.common.errors import UsageError
from narlab.evaluation.metrics._metric import (
    MASKED,
    Arrays,
    Counts,
    Instances,
    Level,
    Metric,
    correct,
    f1,
    per_graph,
    share,
)

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
