"""What a model is worth on a data set: its scores with their intervals, and as rows of a file."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from narlab.data import Dataset, Description
from narlab.evaluation.intervals import Intervals, intervals
from narlab.evaluation.pairs import PairOutcomes, pair_outcomes
from narlab.evaluation.prediction import predict
from narlab.evaluation.scores import Scores, scores_of_values
from narlab.models import Network

JOINING_EDGE = "joining_edge"  # the mark of a data set of pairs


@dataclass(frozen=True)
class Measurement:
    """The scores of one model on the first `count` samples of a data set; `pairs` where the data set has pairs."""

    description: Description
    count: int
    scores: Scores
    intervals: Intervals
    pairs: PairOutcomes | None = None

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
        score, graph = self.intervals.score, self.intervals.graph_score
        numbers = {
            "data": self.data,
            "n": self.description.n,
            "graphs": self.description.graphs,
            "count": self.count,
            "score": self.scores.score,
            "score_low": score.low,
            "score_high": score.high,
            "graph_score": self.scores.graph_score,
            "graph_score_low": graph.low,
            "graph_score_high": graph.high,
        }
        if self.pairs is not None:
            numbers |= {"pairs_accuracy": self.pairs.accuracy}
            numbers |= {f"pairs_{outcome}": number for outcome, number in asdict(self.pairs).items()}
        return numbers


def measure(
    model: Network, dataset: Dataset, *, seed: int = 0, progress: Callable[[int], None] = lambda done: None
) -> Measurement:
    """Score `model` on the whole of `dataset`; `seed` decides the random node features and the resamples."""
    name = model.algorithm.name
    predicted, truth = predict(model, dataset, seed=seed, progress=progress)
    pairs = None
    if name == "bridges" and JOINING_EDGE in dataset.marks:
        pairs = pair_outcomes(predicted["is_bridge"], truth["is_bridge"], dataset.marks[JOINING_EDGE])
    return Measurement(
        dataset.description,
        len(dataset),
        scores_of_values(name, predicted, truth),
        intervals(name, predicted, truth, seed=seed),
        pairs,
    )


def as_csv(measured: Sequence[Measurement]) -> bytes:
    """A line per measurement under a line of names."""
    rows = [measurement.row() for measurement in measured]
    columns = dict.fromkeys(name for row in rows for name in row)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def as_json(measured: Sequence[Measurement], **facts: Any) -> bytes:
    """`facts`, and the measurements under "results", each with the scores of its outputs."""
    outputs = [
        {"by_output": each.scores.by_output, "by_output_graph": each.scores.by_output_graph} for each in measured
    ]
    results = [{**each.row(), **more} for each, more in zip(measured, outputs, strict=True)]
    return (json.dumps({**facts, "results": results}, indent=1) + "\n").encode()
