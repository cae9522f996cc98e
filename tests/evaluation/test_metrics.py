"""Metrics: found by name, text or object, given all they need, and any set of them measured."""

import json
import math

import numpy as np
import pytest
import torch

from narlab import algorithms, data, models
from narlab.common.errors import UsageError
from narlab.evaluation import evaluate, measure, metrics, predict, records
from narlab.evaluation.measurement import as_csv, as_json, from_json
from narlab.evaluation.metrics import TAKEN, Counts, Level, Metric, share


def edge_counts(instances, predicted):
    """Which of the chosen parents are neighbours, or the node itself: a word on the answer without the truth."""
    adjacent, parent = instances.inputs["adj"] != 0, predicted["pi"].astype(int)
    graphs, nodes = parent.shape
    right = adjacent[np.arange(graphs)[:, None], parent, np.arange(nodes)]
    return [Counts(np.stack([right.sum(1), np.full(graphs, nodes)], 1).astype(float), share)]


def gap_counts(instances, predicted):
    """0 for the first graph, infinite for all others."""
    gap = np.where(np.arange(len(predicted["pi"])) > 0, np.inf, 0.0)
    return [Counts(np.stack([gap, np.ones(len(gap))], 1), share)]


EDGES = Metric("edges", Level.ELEMENT, edge_counts)
GAP = Metric("gap", Level.GRAPH, gap_counts, higher_is_better=False, is_share=False)
UNKNOWN = Metric("unknown", Level.GRAPH, lambda *_: [Counts(np.array([[0.0, 0.0]]), share)])


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return models.build("bfs", hidden=8)


@pytest.fixture(scope="module")
def dataset():
    return data.custom("bfs", n=6, count=9, seed=1)


def test_the_first_three():
    assert {"graph_score", "pairs", "score"} <= set(metrics.names())
    levels = {name: metrics.get(name).level for name in ("score", "graph_score", "pairs")}
    assert levels == {"score": Level.ELEMENT, "graph_score": Level.GRAPH, "pairs": Level.PAIR}
    for name in metrics.names():
        assert metrics.get(name).name == name
        assert metrics.get(metrics.get(name)) is metrics.get(name)


def test_a_metric_from_outside_has_a_text():
    text = metrics.CATALOGUE.name_of(EDGES)
    assert text.endswith(":EDGES")
    assert metrics.get(text) is EDGES


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("scroe", "unknown metric 'scroe'; did you mean 'score'?"),
        (3, "3 is no metric: it must be a narlab.evaluation.metrics.Metric"),
        ("narlab.evaluation.metrics:worst", "is no metric"),
    ],
)
def test_what_is_no_metric_is_refused(metric, message):
    with pytest.raises(UsageError, match=message):
        metrics.get(metric)


def test_a_name_must_make_a_column():
    with pytest.raises(UsageError, match="'my metric' must be an identifier"):
        Metric("my metric", Level.GRAPH, gap_counts)
    with pytest.raises(UsageError, match="can't be called 'count', as another column is"):
        Metric("count", Level.GRAPH, gap_counts)


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ([Metric("score", Level.GRAPH, gap_counts)], "two metrics have the name 'score'"),
        ([Metric("mine", Level.GRAPH, gap_counts, suffix="")], "two metrics have the suffix ''"),
    ],
)
def test_numbers_of_two_metrics_are_told_apart(others, message):
    with pytest.raises(UsageError, match=message):
        metrics.get_all(["score", *others])
    with pytest.raises(UsageError, match="no metric is named"):
        metrics.get_all([])


def test_a_metric_that_is_named_twice_is_measured_once():
    assert metrics.get_all(["score", metrics.get("score"), EDGES]) == (metrics.get("score"), EDGES)


# Columns, direction, choosing


def test_columns_of_older_files_stay():
    found = [metrics.column(split, metric) for split in ("val", "test") for metric in metrics.DEFAULT]
    assert found == ["val", "val_graph", "test", "test_graph"]
    assert metrics.column("val", GAP) == "val_gap"


def test_the_last_among_the_best_is_the_best():
    for metric, low_is_better in (("score", False), (GAP, True)):
        assert metrics.better(metric, 0.5, 0.5)
        assert metrics.better(metric, 0.2, 0.5) == low_is_better
        assert metrics.better(metric, 0.5, 0.2) != low_is_better
        for first in (0.3, metrics.worst(metric)):  # whatever comes first, also a gap that is infinite
            assert metrics.better(metric, first, metrics.worst(metric))
    assert metrics.better(GAP, 3.0, math.inf)
    assert not metrics.better(GAP, math.inf, 3.0)


def test_nothing_is_chosen_by_what_is_no_number():
    assert metrics.check_number("score", 0.5) == 0.5
    assert metrics.check_number(GAP, math.inf) == math.inf
    with pytest.raises(UsageError, match="the metric 'score' is nan, so no model can be chosen by it"):
        metrics.check_number("score", math.nan)


# What a metric is given


@pytest.mark.parametrize("name", ["clrs", "custom", "bridges_two_communities"])
def test_all_arrays_come_in_the_probes_dtypes(name):
    """Of the benchmark's own arrays, of the fast stream, and with marks; in order, and of all batches."""
    custom = data.custom("bridges", n=20, count=300, seed=1)
    dataset = custom if name == "custom" else data.load(name, "bridges", "test")[:30]
    algorithm = algorithms.get("bridges")
    seen = []

    def look(instances, predicted):
        seen.append((instances, predicted))
        return [Counts(np.ones((len(dataset), 2)), share)]

    found = evaluate(models.build("bridges", hidden=4), dataset, metrics=[Metric("seen", "graph", look)])
    assert dict(found) == {"seen": 1.0}
    ((instances, predicted),) = seen
    assert instances.algorithm is algorithm
    for probes, arrays, made in (
        (algorithm.inputs, instances.inputs, dataset.inputs),
        (algorithm.outputs, instances.outputs, dataset.outputs),
    ):
        assert set(arrays) == {probe.name for probe in probes}
        for probe in probes:
            assert arrays[probe.name].dtype == probe.dtype
            np.testing.assert_array_equal(arrays[probe.name], made[probe.name])
    assert predicted["is_bridge"].dtype == algorithm.outputs[0].dtype
    assert predicted["is_bridge"].shape == dataset.outputs["is_bridge"].shape
    assert set(instances.marks) == ({"joining_edge"} if "two" in name else set())
    for mark, values in dataset.marks.items():
        np.testing.assert_array_equal(instances.marks[mark], values)


@pytest.mark.parametrize("count", [1, 2, 300])
def test_a_metric_without_labels_on_any_number_of_graphs(model, count):
    dataset = data.custom("bfs", n=5, count=count, seed=2)
    found = evaluate(model, dataset, metrics=[EDGES], seed=4)
    parent = predict(model, dataset, seed=4)[0]["pi"].tolist()
    right = [dataset.inputs["adj"][k, parent[k][node], node] for k in range(count) for node in range(5)]
    assert dict(found) == {"edges": np.mean(right)}


def test_only_what_is_asked_for_is_computed(model, dataset):
    with pytest.raises(KeyError, match="graph_score"):
        _ = evaluate(model, dataset, metrics=["score"]).graph_score
    both = evaluate(model, dataset)
    assert dict(both) == {"score": both.score, "graph_score": both.graph_score}
    assert evaluate(model, dataset, metrics=["score"])["score"] == both.score


def test_a_metric_has_its_data(model, dataset):
    with pytest.raises(
        UsageError, match="'pairs' has no meaning for bfs on the data set 'custom': it needs a data set"
    ):
        evaluate(model, dataset, metrics=["score", "pairs"])
    with pytest.raises(UsageError, match="there is no sample in <Dataset custom/bfs/custom: 0 samples"):
        evaluate(model, dataset[:0])


@pytest.mark.parametrize("counts", [[], [Counts(np.ones(4), share)]])
def test_counts_of_another_form_are_a_bug_of_the_metric(model, dataset, counts):
    with pytest.raises(TypeError, match=r"the metric 'odd' must give counts \[G, K\]"):
        evaluate(model, dataset, metrics=[Metric("odd", Level.GRAPH, lambda *_: counts)])


# Measuring any set


def test_no_metric_is_called_like_another_column(model, dataset):
    found = measure(model, dataset, metrics=metrics.DEFAULT)
    own = {name for name in records.record(found, 0) if not name.startswith(("score", "graph_score"))}
    assert own - {"by_output", "by_output_graph"} == set(TAKEN)


def test_infinite_and_unknown_values_are_measured_shown_and_read_back(model, dataset):
    found = measure(model, dataset, metrics=["score", GAP, UNKNOWN])
    row = found.row()
    assert (row["gap"], row["gap_low"], row["gap_high"]) == (math.inf, math.inf, math.inf)
    assert math.isnan(row["unknown"])
    assert math.isnan(row["unknown_low"])
    assert GAP.text(row["gap"]) == "inf"
    assert UNKNOWN.text(row["unknown"]) == "nan"
    assert as_csv([found]).decode().splitlines()[1].endswith(",inf,inf,inf,nan,nan,nan")
    written = as_json([found])

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    json.loads(written, parse_constant=refuse)
    (read,) = from_json(written)["results"]
    assert (read["gap"], read["score"]) == (math.inf, row["score"])
    assert math.isnan(read["unknown"])
    assert read["by_output"] == found.scores.by_output


def test_the_interval_of_a_gap_that_few_graphs_don_t_have(model):
    """One of two graphs is infinite, and a quarter of the resamples don't draw it."""

    def counts(instances, predicted):
        (gap,) = gap_counts(instances, predicted)
        return [Counts(np.where(gap.values == 0, np.inf, 1.0), share)]

    found = measure(model, data.custom("bfs", n=5, count=2), metrics=[Metric("gap", "graph", counts, is_share=False)])
    assert found.scores["gap"] == math.inf
    assert found.intervals["gap"].low == 1.0
    assert found.intervals["gap"].high == math.inf
