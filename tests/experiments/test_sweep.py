"""What is done is not repeated, what fails does not keep the others, and nobody takes another's run."""

import getpass
import os
from contextlib import ExitStack

import pytest

from narlab.experiments.sweeping import sweep
from narlab.experiments.sweeping.attempt import attempt
from narlab.experiments.sweeping.sweep import SweepError
from narlab.training import train
from narlab.training.folder import Folder
from narlab.training.reporting import PlainLines

DIVERGING = 1e30  # a learning rate


class Here:
    """An engine that trains in this process; `afterwards` is called when it is done."""

    def __init__(self, afterwards=lambda: None):
        self.afterwards = afterwards
        self.calls = []

    def execute(self, jobs, tell):
        self.calls.append([job.name for job in jobs])
        for job in jobs:
            attempt(job, tell, threads=1, device="cpu")
        self.afterwards()


def begin(job):
    """Leave a part of the job in its folder."""

    class PulledPlugError(Exception):
        pass

    class Plug(PlainLines):
        def step(self, step, loss):
            if step > 5:
                raise PulledPlugError

    with pytest.raises(PulledPlugError):
        train(job.run, job.folder, threads=1, reporter=Plug())


def test_a_plan_tells_done_begun_and_missing_apart(tmp_path, job_in):
    done, begun, missing = (job_in(tmp_path, seed) for seed in (1, 2, 3))
    train(done.run, done.folder, threads=1)
    begin(begun)
    plan = sweep.plan([missing, begun, done])
    assert plan == sweep.Plan((done,), (begun,), (missing,))
    assert plan.left == (begun, missing)
    assert [sweep.reached(job) for job in (done, begun, missing)] == [12, 4, 0]


def test_what_is_done_is_not_repeated(tmp_path, job_in, diary, leavings):
    jobs = [job_in(tmp_path, seed) for seed in (1, 2)]
    begin(jobs[1])
    engine = Here()
    assert sweep.execute(jobs, engine, diary) == sweep.Ending({}, {})
    assert engine.calls == [["bfs-2", "bfs-1"]]
    assert diary.of("started") == [("bfs-2", 4), ("bfs-1", 0)]
    for job in jobs:
        alone = job_in(tmp_path / "alone", job.run.seed)
        train(alone.run, alone.folder, threads=1)
        assert leavings(job) == leavings(alone)
    sweep.execute(jobs, engine, diary)
    assert len(engine.calls) == 1


def test_a_run_that_fails_does_not_keep_the_others(tmp_path, job_in, diary):
    bad, good = job_in(tmp_path, 1, learning_rate=DIVERGING), job_in(tmp_path, 2)
    ending = sweep.execute([bad, good], Here(), diary)
    assert list(ending.failed) == [bad]
    assert "the loss of step 2 is nan" in ending.failed[bad][0]
    assert diary.of("finished") == [("bfs-2", None)]
    with pytest.raises(SweepError, match="1 run failed: bfs-1; the same command tries again"):
        ending.check()


def test_a_run_that_fails_in_an_unknown_way_shows_its_last_lines(tmp_path, job_in, diary, monkeypatch):
    def broken(*arguments, **options):
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("narlab.experiments.sweeping.attempt.train", broken)
    job = job_in(tmp_path)
    lines = sweep.execute([job], Here(), diary).failed[job]
    assert lines[-1] == "ZeroDivisionError: by zero"
    assert 1 < len(lines) <= 12


def test_a_run_of_another_sweep_is_left_to_it(tmp_path, job_in, diary):
    theirs, ours = job_in(tmp_path, 1), job_in(tmp_path, 2)
    engine = Here()
    with Folder(theirs.folder).locked():
        ending = sweep.execute([theirs, ours], engine, diary)
    assert diary.of("finished") == [("bfs-2", None)]
    assert len(engine.calls) == 1
    owner = ending.held[theirs]
    assert owner.startswith(f"{getpass.getuser()} on ")
    assert f"process {os.getpid()}, since 20" in owner
    with pytest.raises(SweepError, match=f"another sweep still trains 1 run: .*process {os.getpid()}"):
        ending.check()
    assert Folder(theirs.folder).holder() is None
    assert (theirs.folder / ".lock").read_text() == ""


def test_a_run_that_another_sweep_let_go_is_taken_up(tmp_path, job_in, diary):
    theirs, ours = job_in(tmp_path, 1), job_in(tmp_path, 2)
    with ExitStack() as lock:
        lock.enter_context(Folder(theirs.folder).locked())
        engine = Here(afterwards=lock.close)
        assert sweep.execute([theirs, ours], engine, diary) == sweep.Ending({}, {})
    assert engine.calls == [["bfs-1", "bfs-2"], ["bfs-1"]]


def test_a_run_that_another_sweep_finished_counts_as_done(tmp_path, job_in, diary):
    theirs = job_in(tmp_path, 1)
    with ExitStack() as lock:
        lock.enter_context(Folder(theirs.folder).locked())

        def finish():
            lock.close()
            train(theirs.run, theirs.folder, threads=1)

        engine = Here(afterwards=finish)
        assert sweep.execute([theirs], engine, diary) == sweep.Ending({}, {})
    assert len(engine.calls) == 1
    assert diary.of("finished") == [("bfs-1", None)]


def test_an_error_that_is_no_users_mistake_shows_where_it_is(tmp_path, job_in, diary, monkeypatch):
    def broken(*arguments, **options):
        raise ValueError("operands could not be broadcast together")

    monkeypatch.setattr("narlab.experiments.sweeping.attempt.train", broken)
    job = job_in(tmp_path)
    lines = sweep.execute([job], Here(), diary).failed[job]
    assert lines[0].startswith("Traceback")
    assert lines[-1] == "ValueError: operands could not be broadcast together"
