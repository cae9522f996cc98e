"""Budgets change what they say they change, and nothing else; they never mix."""

from dataclasses import replace

import pytest

from narlab import experiments
from narlab.experiments.declaring.budget import BUDGETS, get
from narlab.experiments.declaring.selection import Selection
from narlab.experiments.sweeping.jobs import Job
from narlab.training import Run


@pytest.mark.parametrize(("budget", "steps"), [("quick", 500), ("short", 2000)])
def test_few_steps_and_one_seed(budget, steps):
    run = Run("bfs", processor="two_wl", seed=43)
    assert get(budget).of(run) == replace(run, steps=steps)
    assert get(budget).seeds == (42,)
    assert get(budget).algorithms(["bfs", "dfs", "minimum"]) == ("bfs", "dfs", "minimum")


def test_paper_is_the_run_with_the_papers_validations():
    run = Run("bfs")
    assert get("paper").of(run) == replace(run, validate_every=10)
    assert get("paper").of(Run("bfs", processor="two_wl")).validate_every == 20  # 16 graphs in a batch
    assert get("paper").of(replace(run, validate_every=100)).validate_every == 100
    assert get("paper").seeds == (42, 43, 44)


def test_smoke_is_tiny_and_keeps_apart_what_is_apart():
    smoke = get("smoke")
    runs = [Run("bfs", dataset=name, position=p) for name in ("clrs", "l_clrs") for p in ("scalar", "random_scalar")]
    tiny = {smoke.of(run).resolved() for run in runs}
    assert len(tiny) == 4
    assert all(run.steps <= 4 and run.hidden == 8 for run in tiny)
    assert smoke.of(Run("bfs", recipe="clrs")).resolved().depth == "trajectory"
    with_hints = smoke.of(Run("bfs", hints="encoded_decoded")).resolved()
    assert with_hints.depth == "trajectory"
    assert smoke.of(Run("bfs", dataset="l_clrs_len")).dataset == "l_clrs_len"


@pytest.mark.parametrize("experiment", experiments.THE_PAPERS)
def test_smoke_has_as_many_kinds_of_runs_as_the_paper(experiment):
    """No two columns of a table become one run."""
    selection = Selection.of(experiment, budget="smoke")
    asked = selection.experiment.runs(selection.algorithms, selection.seeds)
    assert len(selection.runs()) == len(set(asked))


def test_smoke_keeps_few_algorithms():
    assert get("smoke").algorithms(("bfs", "dfs", "quicksort")) == ("bfs", "quicksort")
    assert get("smoke").algorithms(("bridges", "dfs", "minimum")) == ("bridges", "dfs")
    assert get("smoke").algorithms(("dfs", "quicksort")) == ("dfs", "quicksort")


def test_smoke_analyses_look_at_fewer_graphs():
    assert [get(name).graphs(2000) for name in ("smoke", "quick", "short", "paper")] == [20, 2000, 2000, 2000]
    assert get("smoke").graphs(10) == 10


def test_budgets_have_folders_of_their_own(tmp_path):
    folders = {Job.of(tmp_path, name, Run("bfs")).folder for name in BUDGETS}
    assert len(folders) == len(BUDGETS)


def test_three_models_at_any_budget():
    for budget in BUDGETS:
        runs = Selection.of("interpolation", budget=budget).runs()
        assert {run.seed for run in runs} == {42, 43, 44}
    seeds = {run.seed for run in Selection.of("interpolation", seeds=[44, 7]).runs()}
    assert seeds == {44, 7, 42}


def test_quick_tests_are_the_first_graphs_of_large_ones():
    quick = get("quick").of(Run("quickselect"))
    full = Run("quickselect").resolved().split("test")
    assert len(full) == 2048
    assert quick == replace(Run("quickselect"), steps=500, test_samples=256)
    assert (quick.resolved().split("test")[255:].inputs["key"] == full[255:256].inputs["key"]).all()
