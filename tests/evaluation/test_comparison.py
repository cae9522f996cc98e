"""Comparing models: pairs, not each by itself; and only differences that are not chance are said to be some."""

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import narlab
from narlab.cli import main
from narlab.common.errors import UsageError
from narlab.evaluation import comparison
from narlab.evaluation.comparison import Difference, compare
from narlab.evaluation.metrics import get
from narlab.training import pretrained


@pytest.fixture(scope="module")
def instances():
    return narlab.data.custom("minimum", n=12, count=60, seed=4)


def untrained(seed):
    torch.manual_seed(seed)
    return narlab.models.build("minimum", hidden=8, depth=2)


def test_a_trained_model_is_told_from_others(instances):
    models = {"shipped": narlab.pretrained("minimum"), "first": untrained(1), "again": untrained(1)}
    found = compare(models, instances, metrics=["score", "graph_score"])
    told = {(each.first, each.second): each for each in found.differences if each.metric.name == "score"}
    assert not told["shipped", "first"].is_chance
    assert told["shipped", "first"].better == "shipped"
    assert told["first", "again"].is_chance  # the same weights
    assert told["first", "again"].value == 0
    single = narlab.evaluation.measure(models["shipped"], instances, metrics=["score"])
    assert found.measured["shipped"].intervals["score"] == single.intervals["score"]


def test_pairs_see_more_than_each_by_itself(instances, monkeypatch):
    """Right on what is easy, one of them also on a few more: single intervals overlap, the difference's has no 0."""
    truth = instances.outputs["min"].argmax(1)
    easy = np.arange(60) < 30

    def answers(model, dataset, **_):
        right = easy | (np.arange(60) < model.extra)
        predicted = np.where(right, truth, (truth + 1) % 12)
        given = narlab.evaluation.metrics.Instances(model.algorithm, dataset.inputs, dataset.outputs)
        return given, {"min": np.eye(12)[predicted]}

    monkeypatch.setattr(comparison, "answer", answers)
    models = {"plain": untrained(1), "more": untrained(1)}
    models["plain"].extra, models["more"].extra = 0, 38
    found = compare(models, instances, metrics=["score"])
    plain, more = (found.measured[name].intervals["score"] for name in models)
    assert plain.high > more.low
    (difference,) = found.differences
    assert not difference.is_chance
    assert (difference.better, difference.worse) == ("more", "plain")
    assert difference.value == pytest.approx(-8 / 60)


def test_more_models_make_wider_intervals(instances):
    two = {"a": untrained(1), "b": untrained(2)}
    more = two | {name: untrained(1) for name in "cdef"}
    narrow, wide = (compare(models, instances, metrics=["score"]).differences[0].interval for models in (two, more))
    assert wide.high - wide.low > narrow.high - narrow.low


def test_a_smaller_gap_is_better():
    interval = comparison.Interval(0.1, 0.3)
    assert Difference(get("gap"), "a", "b", 0.2, interval).better == "b"
    assert Difference(get("score"), "a", "b", 0.2, interval).better == "a"
    assert Difference(get("score"), "a", "b", 0.2, comparison.Interval(np.nan, np.nan)).is_chance


def test_the_command(tmp_path, capsys):
    forgetful = tmp_path / "forgetful"
    shutil.copytree(pretrained.folder("minimum"), forgetful)
    weights = load_file(forgetful / "best.safetensors")
    facts = {"narlab": json.dumps({"step": 1})}
    save_file({name: torch.zeros_like(value) for name, value in weights.items()}, forgetful / "best.safetensors", facts)
    asked = ["--sizes", "8,12", "--count", "20", "--metrics", "score"]
    files = ["--json", str(tmp_path / "both.json"), "--plot", str(tmp_path / "both.png")]
    main(["compare", "minimum@triangle", str(forgetful), *asked, *files])
    said = capsys.readouterr().out
    assert f"score: minimum@triangle is better than {forgetful}, by" in said
    assert "n=8: 20 graphs" in said
    results = json.loads((tmp_path / "both.json").read_text())["results"]
    assert [found["differences"][0]["is_chance"] for found in results] == [False, False]
    assert (tmp_path / "both.png").read_bytes().startswith(b"\x89PNG")


def test_mistakes(instances, capsys):
    with pytest.raises(UsageError, match="two models or more, got one"):
        compare({"one": untrained(1)}, instances)
    with pytest.raises(UsageError, match="all models must be of minimum; b is of bfs"):
        compare({"a": untrained(1), "b": narlab.models.build("bfs", hidden=8)}, instances)
    with pytest.raises(SystemExit):
        main(["compare", "minimum@triangle"])
    assert "two runs or more" in capsys.readouterr().err
