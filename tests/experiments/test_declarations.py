"""Every experiment of the paper is there, asks for the paper's runs, and can be told from what is not done yet."""

import inspect
from collections import Counter

import pytest

from narlab import experiments
from narlab.algorithms import DISTINCT
from narlab.experiments.declaring.selection import Selection

RUNS = {  # at the paper's budget
    "accuracy-line": 4 * 3,
    "augmentation": 0,
    "bridges": 3,
    "controlled-shift": 9 * 3 * 3,
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
    assert {run.steps for run in runs} <= {20_000}
    assert {run.algorithm for run in runs} in (set(module.ALGORITHMS), set())
    assert {run.seed for run in runs} in ({42, 43, 44}, set())
    assert module.TITLE
    assert f"`narlab reproduce {experiment}`" in inspect.getdoc(module)


@pytest.mark.parametrize("experiment", RUNS)
@pytest.mark.parametrize("budget", ["short", "paper"])
def test_without_runs_tables_have_the_papers_numbers_alone(experiment, budget, tmp_path):
    if experiment == "augmentation":  # needs none
        return
    outcome = Selection.of(experiment, budget=budget).outcome(tmp_path)
    assert (outcome.experiment, outcome.budget) == (experiment, budget)
    assert any(note.startswith("0 of ") for note in outcome.notes)
    assert all(cell.ours == () for table in outcome.tables for cell in table.cells.values())
    assert not any(series for plot in outcome.plots for panel in plot.panels.values() for series in panel)
    assert list(tmp_path.iterdir()) == []


def test_every_table_is_whole(tmp_path):
    for name in RUNS:
        for table in Selection.of(name, budget="paper").outcome(tmp_path).tables:
            assert set(table.cells) == {(row, column) for row in table.rows for column in table.columns}, table.name


def test_notes_name_the_budget_and_the_seeds(tmp_path):
    short = "short: 2,000 training steps instead of the paper's 20,000; "
    assert Selection.of("main").outcome(tmp_path).notes[0] == short + "seed 42"
    assert Selection.of("main", seeds=[1, 2]).outcome(tmp_path).notes[0] == short + "seeds 1, 2"
    assert Selection.of("interpolation").outcome(tmp_path).notes[0] == short + "seeds 42, 43, 44"


def test_experiments_share_runs():
    runs = {name: set(Selection.of(name, budget="paper").runs()) for name in RUNS}
    for name in ("bridges", "index-shift", "interpolation"):
        assert runs[name] <= runs["main"]
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
    assert {run.dataset for run in Selection.of("hints", budget="paper").runs()} == {"clrs"}
    assert {run.dataset for run in Selection.of("low-data", budget="paper").runs()} == {"clrs"}
    hints = Counter(run.hints for run in Selection.of("failed", budget="paper").runs())
    assert hints == {"none": 12, "encoded_decoded": 9, "markovian": 6, "update_mask": 3}
    line = Selection.of("accuracy-line", budget="paper").runs()
    assert {(run.validate_every, run.test_every) for run in line} == {(100, 100)}


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
