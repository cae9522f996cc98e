"""Every experiment of the paper is there, asks for the paper's runs, and can be told from what is not done yet."""

import inspect
from collections import Counter
from dataclasses import replace

import pytest
import torch

from narlab import experiments
from narlab.algorithms import DISTINCT
from narlab.experiments.declaring.selection import Selection
from narlab.training.learner import new_model

RUNS = {  # at the paper's budget
    "accuracy-line": 4 * 3,
    "augmentation": 0,
    "bridges": 3,
    "configurations": 0,
    "controlled-shift": 9 * 3 * 3,
    "encode-process-decode": 0,
    "failed": 10 * 3,
    "hints": 30 * 6 * 3,
    "hybrids": 24 * 4 * 3,
    "improvements": 24 * 4 * 3,
    "index-shift": 2 * 3,
    "interpolation": 4 * 3,
    "low-data": 12 * 3 * 3,
    "main": 24 * 8 * 3,
    "positions": 7 * 6 * 3,
}


def test_all_are_listed():
    assert tuple(sorted(RUNS)) == experiments.THE_PAPERS


@pytest.mark.parametrize("experiment", RUNS)
def test_it_declares_the_papers_runs(experiment):
    module, selection = experiments.get(experiment), Selection.of(experiment, budget="paper")
    runs = selection.runs()
    assert len(runs) == len(set(runs)) == RUNS[experiment]
    assert {run.steps for run in runs} <= {10_000 if experiment == "hints" else 20_000}
    assert {run.algorithm for run in runs} in (set(module.ALGORITHMS), set())
    assert {run.seed for run in runs} in ({42, 43, 44}, set())
    assert module.TITLE
    assert f"`narlab reproduce {experiment}`" in inspect.getdoc(module)


@pytest.mark.parametrize("experiment", RUNS)
@pytest.mark.parametrize("budget", ["short", pytest.param("paper", marks=pytest.mark.slow)])
def test_without_runs_tables_have_the_papers_numbers_alone(experiment, budget, tmp_path):
    if not RUNS[experiment]:
        return
    outcome = Selection.of(experiment, budget=budget).outcome(tmp_path)
    assert (outcome.experiment, outcome.budget) == (experiment, budget)
    assert any(note.startswith("0 of ") for note in outcome.notes)
    of_runs = [table for table in outcome.tables if table.unit != "parameters"]
    assert all(cell.ours == () for table in of_runs for cell in table.cells.values())
    assert not any(series for plot in outcome.plots for panel in plot.panels.values() for series in panel)
    assert list(tmp_path.iterdir()) == []


def test_every_table_is_whole(tmp_path):
    for name in RUNS:
        budget = "paper" if RUNS[name] else "smoke"  # which counts fewer samples
        for table in Selection.of(name, budget=budget).outcome(tmp_path).tables:
            assert set(table.cells) == {(row, column) for row in table.rows for column in table.columns}, table.name


def test_notes_name_the_budget_and_the_seeds(tmp_path):
    short = "short: 2,000 training steps instead of the paper's 20,000; "
    assert Selection.of("main").outcome(tmp_path).notes[0] == short + "seed 42"
    assert Selection.of("main", seeds=[1, 2]).outcome(tmp_path).notes[0] == short + "seeds 1, 2"
    assert Selection.of("interpolation").outcome(tmp_path).notes[0] == short + "seeds 42, 43, 44"


def test_experiments_share_runs():
    runs = {name: set(Selection.of(name, budget="paper").runs()) for name in RUNS}
    for name in ("bridges", "index-shift"):
        assert runs[name] <= runs["main"]
    assert len(runs["interpolation"] & runs["main"]) == 4
    assert len(runs["hybrids"] & runs["main"]) == 24 * 2 * 3
    assert len(runs["improvements"] & runs["main"]) == 24 * 3 * 3
    assert len(runs["positions"] & runs["main"]) == 7 * 2 * 3


def test_the_settings_of_the_main_table():
    runs = Selection.of("main", budget="paper").runs()
    assert {run.algorithm for run in runs} == set(DISTINCT)
    assert {(run.dataset, run.hints, run.depth) for run in runs} == {("l_clrs", "none", 32)}
    single, hybrid = (128, 16), (108, 16)
    widths = {run.processor: (run.hidden, run.batch_size) for run in runs}
    expected = {"mpnn_g": (128, 32), "two_wl": single, "hybrid_average": hybrid, "hybrid_sigmoid": hybrid}
    assert widths == expected
    assert Counter(run.position for run in runs) == {"scalar": 288, "random_scalar": 288}


def test_the_settings_of_other_tables():
    hints = Selection.of("hints", budget="paper").runs()
    assert {(run.dataset, run.recipe, run.depth, run.batch_size) for run in hints} == {
        ("clrs", "clrs", "trajectory", 32)
    }
    assert {run.dataset for run in Selection.of("low-data", budget="paper").runs()} == {"clrs"}
    hints = Counter(run.hints for run in Selection.of("failed", budget="paper").runs())
    assert hints == {"none": 12, "encoded_decoded": 9, "markovian": 6, "update_mask": 3}
    line = Selection.of("accuracy-line", budget="paper").runs()
    assert {(run.validate_every, run.test_every) for run in line} == {(100, 100)}


def test_models_that_are_interpolated_begin_with_the_same_weights():
    one, two, three = Selection.of("interpolation", budget="smoke", algorithms=["mst_kruskal"]).runs()
    assert (one.seed, two.seed, three.seed) == (42, 43, 44)
    first, *others = (new_model(run).state_dict() for run in (one, two, three))
    for other in others:
        assert all(torch.equal(first[name], other[name]) for name in first)
    apart = new_model(replace(two, initial_seed=None)).state_dict()
    assert any(not torch.equal(first[name], apart[name]) for name in first)


def test_algorithms_of_one_task_differ_without_hints(tmp_path):
    """All four sorts are trained and read as many steps as they take themselves."""
    sorts = ["bubble_sort", "heapsort", "insertion_sort", "quicksort"]
    runs = Selection.of("hints", budget="short", algorithms=sorts).runs()
    lengths = {run.algorithm: run.split("test").lengths.max() for run in runs if run.hints == "none"}
    assert len(set(lengths.values())) == 4
    assert {run.depth for run in runs} == {"trajectory"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "mian"}, "unknown experiment 'mian'; did you mean 'main'?"),
        ({"name": "main", "budget": "papper"}, "unknown budget 'papper'; did you mean 'paper'?"),
        ({"name": "main", "algorithms": ["dijkstra"]}, "unknown algorithm of main 'dijkstra'"),
        ({"name": "main", "seeds": [-1]}, "seed must be an integer"),
        ({"name": "main", "seeds": []}, "seeds is empty"),
        ({"name": "main", "algorithms": []}, "algorithms is empty"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match="^" + message.replace("?", r"\?")):
        Selection.of(**arguments)


def test_a_choice_of_algorithms_and_seeds():
    selection = Selection.of("main", budget="paper", algorithms=["bfs", "dfs", "bfs"], seeds=[7, 7])
    assert selection.algorithms == ("bfs", "dfs")
    assert Counter((run.algorithm, run.seed) for run in selection.runs()) == {("bfs", 7): 8, ("dfs", 7): 8}
