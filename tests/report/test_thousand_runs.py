"""A folder with a thousand runs: what lists, tables and pages do for each of them stays small."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

import narlab
from narlab.cli import main
from narlab.common import evenly
from narlab.experiments.declaring import budget, results
from narlab.experiments.sweeping import sweep
from narlab.experiments.sweeping.jobs import Job
from narlab.report.page import write_page
from narlab.training import Run
from narlab.training.folder import Folder

SCORES = {"val": 0.9, "val_graph": 0.5, "test": 0.8, "test_graph": 0.4}
RUN = Run("bfs", hidden=8, depth=2, steps=2000, validate_every=10, test_every=1000)


def line(step):
    tested = {"test": 0.8, "test_graph": 0.4} if step % 1000 == 0 else {}
    return {"step": step, "loss": 1 / step, "val": 0.9, "val_graph": 0.5, **tested, "seconds": 0.1 * step}


def make(root, runs, steps=2000):
    """Finished runs as they are left by training, but for their weights."""
    log = "".join(json.dumps(line(step)) + "\n" for step in range(10, steps + 1, 10))
    for run in runs:
        folder = Path(Job.of(root, "paper", run).folder)
        folder.mkdir(parents=True)
        (folder / "run.toml").write_text(run.to_toml())
        (folder / "metrics.jsonl").write_text(log)
        (folder / "result.json").write_text(json.dumps({**SCORES, "step": 500, "seconds": 200.0}))


def test_of_a_long_log_a_few_lines_are_read_and_all_tests(tmp_path):
    make(tmp_path, [RUN.resolved()])
    folder = Folder(next(tmp_path.rglob("run.toml")).parent)
    steps = [line["step"] for line in folder.metrics(most=5)]
    assert steps == [10, 510, 1000, 1010, 1500, 2000]
    assert folder.last_metrics() == line(2000)
    with (folder.path / "metrics.jsonl").open("a") as log:
        log.write('{"step": 20')  # a line that was being written
    assert folder.last_metrics() == line(2000)
    (folder.path / "metrics.jsonl").unlink()
    assert folder.last_metrics() == {}


def test_evenly():
    assert list(evenly([1, 2, 3], 3)) == [1, 2, 3]
    assert list(evenly(range(10), 1)) == [9]
    assert list(evenly(range(11), 3)) == [0, 5, 10]


def test_a_run_is_looked_up_once_however_many_tables_ask(tmp_path, monkeypatch):
    paper = budget.get("paper")
    make(tmp_path, [paper.of(RUN).resolved()])
    names, run_folder = [], results.layout.run_folder
    monkeypatch.setattr(results.layout, "run_folder", lambda *run: names.append(run) or run_folder(*run))
    found = results.Results(tmp_path, paper)
    assert found.find(replace(RUN, seed=7)) is None
    assert found.find(RUN) == found.find(RUN)
    assert len(names) == 2
    make(tmp_path, [paper.of(replace(RUN, seed=7)).resolved()])
    assert found.find(replace(RUN, seed=7)) is not None  # one that was not done is looked up again


def test_a_plan_does_not_compare_runs_with_each_other(tmp_path, monkeypatch):
    runs = [replace(RUN, seed=seed).resolved() for seed in range(4)]
    make(tmp_path, runs[:2])
    jobs = [Job.of(tmp_path, "paper", run) for run in runs]
    (tmp_path / "paper" / "runs" / jobs[0].name / "result.json").unlink()
    monkeypatch.setattr(Run, "__eq__", lambda one, other: pytest.fail("runs are compared"))
    plan = sweep.plan(jobs)
    assert [[job.run.seed for job in part] for part in (plan.done, plan.begun, plan.missing)] == [[1], [0], [2, 3]]


def test_a_run_is_checked_once_and_again_when_it_is_changed():
    resolved = RUN.resolved()
    assert resolved.resolved() is resolved
    changed = replace(resolved, steps=3000)
    assert changed.resolved() is not changed
    with pytest.raises(ValueError, match="seed must be"):
        replace(resolved, seed=-1).resolved()


@pytest.mark.slow
def test_a_thousand_runs_take_seconds_and_a_few_megabytes(tmp_path, capsys):
    make(tmp_path, [replace(RUN, seed=seed).resolved() for seed in range(1000)])
    work = {
        "runs": lambda: main(["runs", str(tmp_path)]),
        "results": lambda: narlab.results(tmp_path),
        "report": lambda: write_page(tmp_path, tmp_path / "report.html"),
    }
    for name, do in work.items():
        began = time.process_time()
        do()
        assert time.process_time() - began < 5, name
    assert (tmp_path / "report.html").stat().st_size < 20e6
    assert capsys.readouterr().out.count(" done") >= 1000
