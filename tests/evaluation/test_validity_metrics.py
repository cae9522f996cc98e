"""Metrics of validity: all 30 algorithms' predictions are judged, and the numbers are those of the algorithms."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from narlab import algorithms, data, models
from narlab.common.errors import UsageError
from narlab.data.generation import Samples
from narlab.evaluation import evaluate, measure, metrics
from narlab.evaluation.judgement import judge, ranges
from narlab.evaluation.metrics import Instances
from narlab.evaluation.prediction import answer
from narlab.evaluation.scores import Scores, counts_of
from narlab.report.validity_table import validity_table

NAMES = ("valid", "valid_elements")


def scores_of(dataset, predicted, names):
    """The values of metrics on answers that are given."""
    instances = Instances(algorithms.get(dataset.algorithm), dataset.inputs, dataset.outputs)
    return Scores.of_counts(counts_of(metrics.get_all(names), instances, predicted))


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_whatever_a_model_answers_is_judged(name):
    torch.manual_seed(0)
    model, dataset = models.build(name, hidden=4), data.custom(name, n=6, count=4, seed=3)
    algorithm = model.algorithm
    names = (*NAMES, "gap") if algorithm.has_value else NAMES
    found = evaluate(model, dataset, metrics=names)
    instances, predicted = answer(model, dataset)
    assert found["valid"] == algorithm.valid(instances.inputs, predicted).mean()
    assert found["valid"] <= found["valid_elements"] <= 1
    if algorithm.has_value:
        assert found["gap"] == algorithm.optimality_gap(instances.inputs, predicted).mean()
    perfect = scores_of(dataset, dataset.outputs, names)
    assert dict(perfect) == {name: 0.0 if name == "gap" else 1.0 for name in names}


def test_an_answer_with_other_ties_is_valid_but_not_exact():
    """In a ring of four, both neighbours of the node opposite to the source are one level nearer."""
    dataset = data.custom("bfs", n=4, count=5, graphs="ring")
    source = dataset.inputs["s"].argmax(-1)
    other = dataset.outputs["pi"].copy()
    rows = np.arange(5)
    far = [int(np.flatnonzero(dataset.inputs["adj"][k, s] == 0)[0]) for k, s in enumerate(source)]
    both = [[v for v in range(4) if v not in (s, u)] for s, u in zip(source, far, strict=True)]
    other[rows, far] = [sum(pair) - int(other[k, far[k]]) for k, pair in enumerate(both)]
    found = scores_of(dataset, {"pi": other}, ("score", "graph_score", "valid", "valid_elements", "gap"))
    assert dict(found) == {"score": 0.75, "graph_score": 0.0, "valid": 1.0, "valid_elements": 1.0, "gap": 0.0}


def test_elements_are_counted_by_output_and_masked_ones_are_not():
    dataset = data.custom("bridges", n=6, count=3, seed=1)
    wrong = np.where(dataset.outputs["is_bridge"] == -1, 1, 1 - dataset.outputs["is_bridge"])
    assert scores_of(dataset, {"is_bridge": wrong}, ["valid_elements"])["valid_elements"] == 0
    outputs = data.custom("topological_sort", n=6, count=3)
    assert set(scores_of(outputs, outputs.outputs, ["valid_elements"]).parts["valid_elements"]) == {"topo", "topo_head"}


# The gap


def gaps_of(dataset, predicted):
    instances = Instances(algorithms.get(dataset.algorithm), dataset.inputs, dataset.outputs)
    gap = metrics.get("gap")
    (counted,) = gap.counts(instances, predicted)
    details = gap.details([counted])
    return counted.value, details, gap.remarks(details)


def test_the_gap_says_how_many_answers_are_solutions():
    dataset = data.custom("bfs", n=5, count=4, graphs="path", seed=2)
    mean, details, remarks = gaps_of(dataset, dataset.outputs)
    assert (mean, details, remarks) == (0.0, {"solved": 1.0, "where_solved": 0.0}, ())
    astray = {"pi": dataset.outputs["pi"].copy()}
    astray["pi"][0] = np.roll(np.arange(5), 1)  # a cycle is no tree
    mean, details, remarks = gaps_of(dataset, astray)
    assert (mean, details) == (math.inf, {"solved": 0.75, "where_solved": 0.0})
    assert remarks == ("75.00 % of the answers are solutions, with a mean gap of 0.",)
    astray["pi"][:] = np.roll(np.arange(5), 1)
    mean, details, remarks = gaps_of(dataset, astray)
    assert (mean, details["solved"]) == (math.inf, 0.0)
    assert math.isnan(details["where_solved"])
    assert remarks == ("0.00 % of the answers are solutions.",)


def test_a_detour_has_a_gap():
    dataset = data.custom("bfs", n=3, count=1, graphs="ring")
    s = int(dataset.inputs["s"][0].argmax())
    near, far = (v for v in range(3) if v != s)
    detour = {"pi": np.array([[{s: s, near: s, far: near}[v] for v in range(3)]])}
    assert gaps_of(dataset, detour)[0] == pytest.approx(0.5)  # 1 + 2 edges instead of 1 + 1
    assert not metrics.better("gap", 0.5, 0.0)


# Where they apply


def test_they_are_measured_where_they_apply():
    torch.manual_seed(0)
    found = measure(models.build("bfs", hidden=4), data.custom("bfs", n=5, count=6))
    assert [metric.name for metric in found.metrics] == ["score", "graph_score", "valid", "valid_elements", "gap"]
    assert {"gap_solved", "gap_where_solved", "valid_low", "valid_elements_high"} <= set(found.row())
    for name in NAMES:
        assert found.intervals[name].low <= found.scores[name] <= found.intervals[name].high
    found = measure(models.build("minimum", hidden=4), data.custom("minimum", n=5, count=6))
    assert [metric.name for metric in found.metrics] == ["score", "graph_score", "valid", "valid_elements"]
    assert metrics.DEFAULT == ("score", "graph_score")  # what runs log costs nothing


def test_what_has_no_value_has_no_gap():
    with pytest.raises(UsageError, match=r"the metric 'gap' has no meaning for minimum .*: it needs a problem with a"):
        evaluate(models.build("minimum", hidden=4), data.custom("minimum", n=5, count=2), metrics=["gap"])


def made(name, change):
    """A data set of two graphs whose inputs are changed, and the algorithm's own answers to them."""
    algorithm = algorithms.get(name)
    inputs = {key: array.copy() for key, array in data.custom(name, n=5, count=2).inputs.items()}
    change(inputs)
    done = algorithm.execute_valid(inputs, False)  # what comes from outside would be refused
    dataset = data.custom(name, n=5, count=2)
    return type(dataset)(dataset.description, made=Samples(inputs, done.outputs, done.lengths, None))


def negative(inputs):
    inputs["A"][1] *= -1


def test_where_a_problem_is_not_defined_nothing_is_judged():
    dataset = made("dijkstra", negative)
    model = models.build("dijkstra", hidden=4)
    assert [metric.name for metric in measure(model, dataset).metrics] == ["score", "graph_score"]
    with pytest.raises(UsageError, match=r"'valid' has no meaning .* inputs on which its problem is defined"):
        evaluate(model, dataset, metrics=["valid"])
    (line,) = judge(model.algorithm, dataset, dataset.outputs).lines(why=True)
    assert line.startswith("valid: not judged: ")


def test_an_algorithm_from_outside_may_not_say_what_is_valid():
    dataset = data.custom("bfs", n=5, count=2)
    mine = replace(algorithms.get("bfs"), name="mine", validity=None)
    assert not any(metrics.get(name).applies(mine, dataset) for name in (*NAMES, "gap"))
    (line,) = judge(mine, dataset, dataset.outputs).lines()
    assert line.startswith("valid: not judged: mine does not say which answers are valid")


# Words


def test_defects_are_told_by_instance():
    dataset = data.custom("bfs", n=4, count=6, graphs="path")
    astray = {"pi": dataset.outputs["pi"].copy()}
    astray["pi"][2] = np.arange(4)
    judgement = judge(algorithms.get("bfs"), dataset, astray)
    assert list(judgement.lines()) == ["valid: 5 of 6 instances: 0, 1, 3-5"]
    _, *lines = judgement.lines(why=True)
    assert lines == [f"instance 2: {defect.text}" for defect in judgement.defects(2)]
    assert len(lines) == 3
    assert judgement.defects(1) == []


def test_ranges():
    assert ranges([]) == ""
    assert ranges([4]) == "4"
    assert ranges(range(100)) == "0-99"


def test_the_page_has_the_algorithms_own_words():
    page = Path(__file__).parents[2] / "docs" / "validity.md"
    assert validity_table() in page.read_text("utf-8"), "run python -m narlab.report.validity_table"
    assert validity_table().count("\n") == 32
