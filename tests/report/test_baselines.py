"""Chance and trivial rules: their scores by hand, on the official test sets."""

import numpy as np
import pytest

from narlab import data
from narlab.cli import main
from narlab.report.baselines import baselines, best_trivial, tables


def test_each_rule_is_asked_where_it_has_something_to_say():
    assert list(baselines("bfs")) == ["chance", "itself", "nearest", "majority"]
    assert list(baselines("activity_selector")) == ["chance", "all", "majority"]
    assert list(baselines("minimum")) == ["chance", "majority"]


def test_itself_and_nearest_by_hand():
    test = data.load("l_clrs", "mst_prim", "test")
    pi, weights = test.outputs["pi"], test.inputs["A"]
    assert baselines("mst_prim")["itself"].score == pytest.approx((pi == np.arange(64)).mean())
    others = (weights > 0) & ~np.eye(64, dtype=bool)  # the benchmark's graphs have self-loops
    lightest = np.where(others, weights, np.inf).argmin(1)
    assert baselines("mst_prim")["nearest"].score == pytest.approx((pi == lightest).mean())
    sorting = data.load("l_clrs", "quicksort", "test")
    key = sorting.inputs["key"]
    apart = np.abs(key[:, :, None] - key[:, None]) + 9 * np.eye(64)
    assert baselines("quicksort")["nearest"].score == pytest.approx((sorting.outputs["pred"] == apart.argmin(1)).mean())


def test_masks_by_hand():
    selected = data.load("l_clrs", "activity_selector", "test").outputs["selected"]
    share = selected.mean()
    assert baselines("activity_selector")["all"].score == pytest.approx(2 * share / (1 + share))
    assert baselines("activity_selector")["majority"].score == 0  # nothing is found
    assert best_trivial("activity_selector")[0] == "all"


def test_the_majority_of_training():
    train, test = (data.load("l_clrs", "lcs_length", split).outputs["b"] for split in ("train", "test"))
    counts = [(train[:1000].argmax(-1) == k)[(train[:1000] != -1).all(-1)].sum() for k in range(4)]
    counted = (test != -1).all(-1)
    expected = (test.argmax(-1) == np.argmax(counts))[counted].mean()
    assert baselines("lcs_length")["majority"].score == pytest.approx(expected)


def test_chance_is_what_one_expects():
    assert baselines("bfs")["chance"].score == pytest.approx(1 / 64, rel=0.1)
    assert baselines("lcs_length")["chance"].score == pytest.approx(1 / 4, rel=0.02)
    assert baselines("segments_intersect")["chance"].score == pytest.approx(0.5, abs=0.02)


def test_tables_have_exact_graph_level_and_valid_scores():
    exact, graph, valid = tables(["bfs", "minimum"])
    assert exact.cells["minimum", "majority"].ours == (100 * baselines("minimum")["majority"].score,)
    assert exact.cells["minimum", "itself"].ours == ()
    assert graph.cells["bfs", "itself"].ours == (0.0,)
    assert valid.cells["bfs", "itself"].ours == (0.0,)


def test_the_command_prints_or_writes_them(tmp_path, capsys):
    main(["report", "--baselines", "--algorithms", "minimum"])
    assert "Valid answers of chance and trivial rules, in %" in capsys.readouterr().out
    main(["report", "--baselines", "--algorithms", "minimum", "--out", str(tmp_path / "a.md")])
    assert (tmp_path / "a.md").read_text().count("| minimum |") == 3
