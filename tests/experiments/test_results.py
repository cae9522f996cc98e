"""Results of real tiny runs: found again by what was run, as rows of a frame, and as cells of tables."""

import json
import math

import pytest

import narlab
from narlab.experiments.declaring.budget import get
from narlab.experiments.declaring.design import Design, DesignScores
from narlab.experiments.declaring.outcome import Number
from narlab.experiments.declaring.paper import Numbers
from narlab.experiments.declaring.results import Results
from narlab.experiments.declaring.selection import Selection
from narlab.experiments.sweeping import sweep
from narlab.experiments.sweeping.jobs import Job
from narlab.training import Run, train
from narlab.training.reporting import PlainLines

SMOKE = get("smoke")


def trained(root, run):
    job = Job.of(root, SMOKE.name, SMOKE.of(run))
    return train(job.run, job.folder, reporter=PlainLines(write=lambda text: None))


def test_a_run_is_found_by_the_papers_settings(tmp_path):
    run, results = Run("bfs", seed=43), Results(tmp_path, SMOKE)
    assert results.find(run) is None
    result = trained(tmp_path, run)
    found = results.find(run)
    assert found.folder == result.folder
    assert found.percent("test") == pytest.approx(100 * result.test)
    assert [line["step"] for line in found.metrics] == [4]
    assert results.find(Run("bfs", seed=42)) is None
    assert Results(tmp_path, get("short")).find(run) is None


def test_a_run_that_is_not_done_has_no_result(tmp_path):
    run = Run("bfs")
    folder = trained(tmp_path, run).folder
    (folder / "result.json").unlink()
    assert Results(tmp_path, SMOKE).find(run) is None


def test_the_frame_has_a_row_per_run(tmp_path):
    one, two = (
        trained(tmp_path, Run("bfs")),
        trained(tmp_path, Run("bfs", hints="encoded_decoded", hint_names=("pi_h",))),
    )
    (two.folder / "result.json").unlink()
    frame = narlab.results(tmp_path).set_index("folder")
    assert len(frame) == 2
    done = frame.loc[one.folder.relative_to(tmp_path).as_posix()]
    assert (done.test, done.val, done.step, done.algorithm, done.n) == (one.test, one.val, one.step, "bfs", 6)
    assert done.done
    other = frame.loc[two.folder.relative_to(tmp_path).as_posix()]
    assert not other.done
    assert math.isnan(other.test)
    assert (other.step, other.hint_names) == (4, ("pi_h",))


def test_the_frame_of_any_folder(tmp_path):
    assert len(narlab.results(tmp_path)) == 0
    assert {"algorithm", "seed", "test_graph", "done"} <= set(narlab.results(tmp_path).columns)
    with pytest.raises(ValueError, match="there is no folder"):
        narlab.results(tmp_path / "none")


def test_an_analysis_is_computed_once_for_the_same_models(tmp_path):
    trained(tmp_path, Run("bfs"))
    calls, told = [], []
    results = Results(tmp_path, SMOKE, lambda *progress: told.append(progress))
    model = results.find(Run("bfs"))

    def compute(advance):
        advance(3)
        advance(4)
        calls.append(1)
        return {"score": [1.5, len(calls)]}

    assert results.analysis("test", [model], compute, graphs=7) == {"score": [1.5, 1]}
    assert results.analysis("test", [model], compute, graphs=7) == {"score": [1.5, 1]}
    assert told == [("test", 0, 7), ("test", 3, 7), ("test", 7, 7)]
    path = model.folder / "result.json"
    path.write_text(json.dumps({**model.result, "test": 0.123}))
    assert results.analysis("test", [results.find(Run("bfs"))], compute, graphs=7) == {"score": [1.5, 2]}


def test_a_damaged_analysis_is_made_again(tmp_path):
    trained(tmp_path, Run("bfs"))
    results = Results(tmp_path, SMOKE)
    model = results.find(Run("bfs"))
    results.analysis("test", [model], lambda advance: [1], graphs=1)
    (file,) = (tmp_path / "smoke" / "analyses").iterdir()
    file.write_text("[1")
    assert results.analysis("test", [model], lambda advance: [2], graphs=1) == [2]
    assert json.loads(file.read_text()) == [2]


def test_a_result_that_can_not_be_read_is_named_and_left_out(tmp_path):
    broken, whole = Run("bfs", seed=1), Run("bfs", seed=2)
    folder = trained(tmp_path, broken).folder
    trained(tmp_path, whole)
    (folder / "result.json").write_text('{"step": [')
    with pytest.warns(UserWarning, match=f"left out: .*{folder.name}.*can't be read: Expecting value"):
        frame = narlab.results(tmp_path)
    assert frame["seed"].tolist() == [2]
    results = Results(tmp_path, SMOKE)
    with pytest.warns(UserWarning, match="left out: "):
        assert results.find(broken) is None
    assert results.find(whole) is not None
    with pytest.warns(UserWarning, match="left out: "):
        plan = sweep.plan([Job.of(tmp_path, SMOKE.name, SMOKE.of(run)) for run in (broken, whole)])
    assert [len(part) for part in (plan.done, plan.begun, plan.missing)] == [1, 1, 0]


def test_tables_say_where_numerics_differ(tmp_path):
    selection = Selection.of("controlled-shift", budget="smoke", algorithms=["bfs"])
    jobs = [Job.of(tmp_path, SMOKE.name, run) for run in selection.runs()]
    folders = [train(job.run, job.folder, reporter=PlainLines(write=lambda text: None)).folder for job in jobs]
    assert not any("numerics" in note for note in selection.outcome(tmp_path).notes)
    (entry,) = json.loads((folders[0] / "environment.json").read_text())
    (folders[0] / "environment.json").write_text(json.dumps([{**entry, "torch": "9.9"}]))
    (note,) = [note for note in selection.outcome(tmp_path).notes if "numerics" in note]
    assert note.startswith("numerics differ, so that equal runs may differ in their digits: 2 runs with ")
    assert "1 run with 9.9 " in note


def test_scores_of_a_design(tmp_path):
    design = Design(("bfs", "quicksort"), {"scalar": {"position": "scalar"}, "random": {"position": "random_scalar"}})
    results = [trained(tmp_path, design.run(task, "scalar", seed)) for task in design.tasks for seed in (1, 2)]
    scores = design.scores(Results(tmp_path, SMOKE), design.tasks, (1, 2))
    table = scores.table("test", "A test")
    ours = [100 * result.test for result in results]
    assert table.cells["bfs", "scalar"].ours == pytest.approx(ours[:2])
    assert table.cells["mean", "scalar"].ours == pytest.approx([(ours[0] + ours[2]) / 2, (ours[1] + ours[3]) / 2])
    assert table.cells["mean", "random"].ours == ()


def scores(values, tasks=("a", "b", "c")):
    return DesignScores(tasks, tasks, ("x",), {(task, "x"): values.get(task, {}) for task in tasks})


def test_a_mean_covers_the_same_tasks_for_every_seed():
    mean = scores({"a": {1: 10.0, 2: 20.0}, "b": {1: 30.0, 2: 40.0}, "c": {1: 50.0}}).mean("x")
    assert (mean.tasks, mean.by_seed) == (("a", "b", "c"), {1: 30.0})
    mean = scores({"a": {1: 10.0, 2: 20.0}, "b": {1: 30.0, 2: 40.0}}).mean("x")
    assert (mean.tasks, mean.by_seed) == (("a", "b"), {1: 20.0, 2: 30.0})
    weighted = scores({"a": {1: 10.0}, "b": {1: 30.0}}).mean("x", {"a": 3, "b": 1, "c": 1})
    assert weighted.by_seed == {1: 15.0}
    assert scores({}).mean("x").by_seed == {}


def test_the_papers_mean_is_over_the_same_tasks():
    numbers = Numbers({("a", "x"): Number(1.0), ("b", "x"): Number(3.0), ("c", "x"): Number(8.0, 0.5)})
    numbers = Numbers({**numbers.cells, ("mean", "x"): Number(4.0, 0.1)})
    whole = scores({task: {1: 1.0} for task in "abc"}).table("t", "T", numbers=numbers)
    assert whole.cells["mean", "x"].paper == Number(4.0, 0.1)
    assert whole.notes == ()
    part = scores({task: {1: 1.0} for task in "ab"}).table("t", "T", numbers=numbers)
    assert part.cells["mean", "x"].paper == Number(2.0)
    assert part.notes[0] == "of 3 tasks the means cover 2 in x"
    none = scores({}).table("t", "T", numbers=numbers)
    assert none.cells["mean", "x"].paper == Number(4.0, 0.1)
