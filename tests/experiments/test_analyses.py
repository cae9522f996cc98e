"""Every experiment from its first run to its tables and figures, with real tiny runs."""

import math
import shutil
from itertools import pairwise

import numpy as np
import pytest

from narlab import experiments
from narlab.evaluation import evaluate
from narlab.experiments import augmentation, index_shift, interpolation
from narlab.experiments.declaring.results import Results
from narlab.experiments.declaring.selection import Selection
from narlab.experiments.sweeping.jobs import Job
from narlab.training import load, train
from narlab.training.reporting import PlainLines

EMPTY = {("baseline", "improvement")}  # a cell that the paper has no number for either

pytestmark = pytest.mark.xdist_group("analyses")  # so that what they share is made once


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """The outcome of an experiment at the budget `smoke`, and the folder with its runs."""
    root, made = tmp_path_factory.mktemp("sweep"), {}

    def make(name):
        if name not in made:
            selection = Selection.of(name, budget="smoke")
            for run in selection.runs():
                job = Job.of(root, "smoke", run)
                train(job.run, job.folder, reporter=PlainLines(write=lambda text: None))
            made[name] = selection.outcome(root)
        return made[name], root

    return make


QUICK = ("main", "beyond")
REST = [name for name in (*experiments.THE_PAPERS, "ablation") if name not in QUICK]


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in REST)])
def test_end_to_end(done, name):
    outcome, root = done(name)
    assert (outcome.experiment, outcome.budget) == (name, "smoke")
    assert not any("are done" in note for note in outcome.notes)
    assert outcome.tables
    for table in outcome.tables:
        for key, cell in table.cells.items():
            assert all(map(math.isfinite, cell.ours))
            if table.unit and key not in EMPTY:
                assert cell.ours, (table.name, key)
            if table.unit == "%" and "improvement" not in key and table.name != "barriers":
                assert all(0 <= value <= 100 for value in cell.ours), (table.name, key)
    for plot in outcome.plots:
        for series in (series for panel in plot.panels.values() for series in panel):
            assert len(series.x) == len(series.y) > 1
    for files in (outcome.tables, (*outcome.plots, *outcome.drawings)):  # a name is a file's stem
        assert len({each.name for each in files}) == len(files)
    assert Selection.of(name, budget="smoke").outcome(root) == outcome


def test_the_summary_of_main_has_the_means_of_its_tables(done):
    outcome, _ = done("main")
    tables = {table.name: table for table in outcome.tables}
    for position in ("scalar", "random_scalar"):
        full = tables[f"test_{position}"]
        for processor in full.columns:
            cells = [full.cells[task, processor].ours[0] for task in ("bfs", "quicksort")]
            assert tables["summary"].cells[position, processor].ours == pytest.approx([sum(cells) / 2])
            weighted = (cells[0] + 4 * cells[1]) / 5
            assert full.cells["weighted_mean", processor].ours == pytest.approx([weighted])
    assert all(len(panel) == 4 for plot in outcome.plots for panel in plot.panels.values())


def test_improvements_are_differences_of_means(done):
    outcome, _ = done("improvements")
    table = outcome.tables[0]
    for before, after in pairwise(table.rows):
        gain = table.cells[after, "mean_test_score"].ours[0] - table.cells[before, "mean_test_score"].ours[0]
        assert table.cells[after, "improvement"].ours == pytest.approx([gain])


@pytest.mark.slow
def test_wins_are_counted_among_both(done):
    outcome, _ = done("hints")
    test, wins = outcome.tables[:2]
    for one, two in zip(test.columns[::2], test.columns[1::2], strict=True):
        scores = [(test.cells[task, one].ours[0], test.cells[task, two].ours[0]) for task in ("bfs", "quicksort")]
        assert wins.cells["wins", one].ours == (sum(a > b for a, b in scores),)
        assert wins.cells["wins", two].ours == (sum(b > a for a, b in scores),)


def test_curves_have_a_point_per_evaluation(done):
    outcome, _ = done("accuracy-line")
    assert list(outcome.plots[0].panels) == ["bridges", "articulation_points"]
    assert all(len(series.x) == 2 for panel in outcome.plots[0].panels.values() for series in panel)


@pytest.mark.slow
def test_a_path_begins_and_ends_at_its_models(done):
    outcome, root = done("interpolation")
    results = Results(root, Selection.of("interpolation", budget="smoke").budget)
    runs = interpolation.models_of("task_scheduling", (42, 43, 44))
    models = {name: results.find(run) for name, run in zip("ABC", runs, strict=True)}
    plot = next(plot for plot in outcome.plots if plot.name == "task_scheduling")
    assert list(plot.panels) == ["B to A", "C to A", "C to B"]
    for title, (val, test) in plot.panels.items():
        assert val.x == pytest.approx(np.linspace(0, 1, 11))
        for place, name in ((0, title[0]), (-1, title[-1])):
            model, run = load(models[name].folder), models[name].run
            assert val.y[place] == pytest.approx(100 * evaluate(model, run.split("val"), seed=0).score)
            assert test.y[place] == pytest.approx(100 * evaluate(model, run.split("test"), seed=0).score)


@pytest.mark.parametrize("name", ["bridges", "index-shift", pytest.param("interpolation", marks=pytest.mark.slow)])
def test_analyses_tell_how_far_they_are(done, tmp_path, name):
    _, root = done(name)
    shutil.copytree(root / "smoke" / "runs", tmp_path / "smoke" / "runs")
    told = []
    Selection.of(name, budget="smoke").outcome(tmp_path, lambda *progress: told.append(progress))
    begun = [k for k, (_, count, _) in enumerate(told) if count == 0]
    ends = [told[k - 1] for k in (*begun[1:], len(told))]
    assert len(ends) == len(list((tmp_path / "smoke" / "analyses").iterdir()))
    assert all(count == graphs > 0 for _, count, graphs in ends)


def test_a_barrier_is_a_fall_below_the_line():
    line = [80 - k for k in range(11)]
    assert interpolation.barrier(line) == pytest.approx(0)
    assert interpolation.barrier([*line[:4], 20, *line[5:]]) == pytest.approx(56)


def test_every_pair_has_one_outcome(done):
    outcome, _ = done("bridges")
    scores, outcomes = outcome.tables
    counts = {row: outcomes.cells[row, "hybrid_average"].ours[0] for row in outcomes.rows}
    assert sum(counts.values()) == 10
    right = scores.cells["pairs right in both graphs", "hybrid_average"]
    assert right.ours == (10 * counts["right in A and B"],)
    assert right.paper.mean == pytest.approx(0.70)


def test_the_drawn_pair_differs_in_one_edge(done):
    outcome, _ = done("bridges")
    first, second = outcome.drawings[1].panels
    assert first.positions == second.positions
    assert len(set(second.edges) - set(first.edges)) == 1
    (joining,), crossing = first.marked, second.marked
    assert joining in crossing
    assert set(crossing) == {(u, v) for u, v in second.edges if second.groups[u] != second.groups[v]}
    assert outcome.drawings[0].panels[0].marked


def test_only_the_indices_move():
    own, shifted = index_shift.quarters(6, 5).values()
    assert own.inputs["pos"] == pytest.approx(np.tile(np.arange(6) / 6, (5, 1)))
    assert shifted.inputs["pos"] == pytest.approx(np.tile(np.arange(6) / 24, (5, 1)))
    for name in ("A", "adj"):
        assert (own.inputs[name] == shifted.inputs[name]).all()
    assert (own.outputs["pi"] == shifted.outputs["pi"]).all()
    assert own.inputs["A"].shape == (5, 6, 6)


def test_dropping_an_edge_at_the_start_reverses_the_ring():
    circle = augmentation.ring(9)
    assert augmentation.parents(circle[None])[0].tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 7]
    dropped = augmentation.without_edge(circle, 0, 1)
    assert augmentation.parents(dropped[None])[0].tolist() == [0, 2, 3, 4, 5, 6, 7, 8, 0]
    assert augmentation.broken(circle[None], dropped[None])["labels broken"] == 100
    kept = augmentation.without_edge(circle, 0, 8)
    assert augmentation.broken(circle[None], kept[None])["labels broken"] == 0


def test_mixup_of_a_sequence_with_itself_breaks_nothing():
    one, two = np.array([[0.1, 0.5, 0.3], [0.2, 0.9, 0.4]]), np.array([[0.2, 0.6, 0.4], [0.9, 0.1, 0.5]])
    assert set(augmentation.mixed_labels(one, one, 0.5).values()) == {0.0}
    assert augmentation.predecessors(one).tolist() == [[0, 2, 0], [0, 2, 0]]
    # mixed: [[.15, .55, .35], [.55, .5, .45]]; the second order, 2 < 1 < 0, is of neither
    found = augmentation.mixed_labels(one, two, 0.5)
    assert found[augmentation.NOT_MIXED] == pytest.approx(50)


def test_counts_of_the_ring(tmp_path):
    table = Selection.of("augmentation").outcome(tmp_path).tables[0]
    start, anywhere, real = table.rows
    assert table.cells[start, "labels broken"].ours == (100.0,)
    assert table.cells[start, "labels broken"].paper.mean == 100
    assert table.cells[anywhere, "labels broken"].ours == pytest.approx([50.0])
    assert table.cells[anywhere, "graphs with a broken label"].ours == pytest.approx([100 * 15 / 16])
    assert 0 < table.cells[real, "labels broken"].ours[0] < 50


@pytest.mark.parametrize("algorithm", ["dfs", "quicksort"])
def test_an_augmentation_alone(algorithm, tmp_path):
    outcome = Selection.of("augmentation", algorithms=[algorithm]).outcome(tmp_path)
    expected = {"dfs": "dropedge", "quicksort": "mixup"}[algorithm]
    assert [each.name for each in (*outcome.tables, *outcome.drawings)] == [expected, expected]


def test_configurations_are_the_papers(tmp_path):
    configurations, degrees, tasks = Selection.of("configurations", budget="smoke").outcome(tmp_path).tables
    assert all(cell.difference == 0 for cell in configurations.cells.values())
    regular = [cell for cell in degrees.cells.values() if cell.paper is not None]
    assert len(regular) == 9
    assert all(cell.difference == 0 for cell in regular)
    assert tasks.cells["quicksort", "samples, test"].ours == (32,)


@pytest.mark.slow
def test_all_samples_of_the_configurations_are_counted(tmp_path):
    configurations, _, tasks = Selection.of("configurations", budget="paper").outcome(tmp_path).tables
    assert all(cell.difference == 0 for cell in configurations.cells.values())
    assert tasks.cells["naive_string_matcher", "nodes, test"].ours == (80,)


def test_the_first_figure_ends_with_the_pointers_of_bfs(tmp_path):
    outcome = Selection.of("encode-process-decode", budget="smoke").outcome(tmp_path)
    first, *_, last = outcome.drawings[0].panels
    assert first.groups.index(0) == 2
    assert dict(last.edges) == {0: 2, 1: 0, 3: 2, 4: 2, 5: 3}
    assert outcome.tables[0].cells["node features X", "columns"].difference == 0


@pytest.mark.slow  # hybrids of two message passings have a kernel of their own
def test_hybrids_have_their_parameters(done):
    outcome, _ = done("hybrids")
    sizes = outcome.tables[1]
    assert sizes.columns == outcome.tables[0].columns
    average, sigmoid = (sizes.cells["bfs", name].ours[0] for name in ("hybrid_average", "hybrid_sigmoid"))
    assert sigmoid == average + 8 + 1  # the gate: a weight for each of 8 features, and a bias
