"""Worker processes of this machine: the same bits as in one process, whatever happens to them."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from narlab.common.machine import cores
from narlab.experiments.sweeping import local, sweep
from narlab.experiments.sweeping.local import ATTEMPTS, Local
from narlab.training import train

LONG = {"steps": 200, "validate_every": 20, "test_every": 100}
pytestmark = pytest.mark.xdist_group("local")
TWO = min(2, cores())


@pytest.fixture(scope="module")
def trained_alone(tmp_path_factory):
    """Jobs that were trained without a sweep, by the text of their runs."""
    root, done = tmp_path_factory.mktemp("alone"), {}

    def train_once(job):
        text = job.run.to_toml()
        if text not in done:
            done[text] = replace(job, folder=root / str(len(done)))
            train(job.run, done[text].folder, threads=1)
        return done[text]

    return train_once


@pytest.fixture
def same_as_alone(trained_alone, leavings):
    """Whether a job ended as it does without a sweep."""

    def check(job):
        assert leavings(job) == leavings(trained_alone(job))

    return check


def workers():
    return [child for child in multiprocessing.active_children() if child.name.startswith("SpawnProcess")]


@pytest.mark.slow
def test_workers_give_the_bits_of_one_process(tmp_path, job_in, diary, same_as_alone):
    jobs = [job_in(tmp_path, seed) for seed in (1, 2, 3)]
    bad = job_in(tmp_path, 4, learning_rate=1e30)
    ending = sweep.execute([bad, *jobs], Local(TWO, 1), diary)
    assert list(ending.failed) == [bad]
    assert sorted(diary.of("finished")) == [(job.name, None) for job in jobs]
    assert workers() == []
    for job in jobs:
        same_as_alone(job)


@pytest.mark.slow
def test_a_killed_worker_costs_no_more_than_an_interval(tmp_path, job_in, diary, same_as_alone):
    job, killed = job_in(tmp_path, **LONG), []

    def kill(job, line):
        if line["step"] >= 60 and not killed:
            killed.append(workers()[0].pid)
            os.kill(killed[0], signal.SIGKILL)

    diary.actions["evaluation"] = kill
    assert sweep.execute([job], Local(1, 1), diary) == sweep.Ending({}, {})
    (said,) = diary.of("said")
    assert "its worker was killed by SIGKILL (out of memory?); it goes on from its last checkpoint" in said[0]
    assert diary.of("started")[1][1] >= 40  # the checkpoint of step 60 was about to be written
    assert workers() == []
    same_as_alone(job)


@pytest.mark.slow
def test_a_job_whose_workers_always_die_fails_and_the_others_go_on(tmp_path, job_in, diary):
    doomed, other = job_in(tmp_path, 1, **LONG), job_in(tmp_path, 2)

    def kill(job, step):
        if job == doomed:
            os.kill(workers()[0].pid, signal.SIGKILL)

    diary.actions["started"] = kill
    ending = sweep.execute([doomed, other], Local(1, 1), diary)
    assert [name for name, _ in diary.of("started")] == ["bfs-1"] * ATTEMPTS + ["bfs-2"]
    assert "killed by SIGKILL (out of memory?) in the last of 3 attempts" in ending.failed[doomed][-1]
    assert diary.of("finished") == [("bfs-2", None)]


@pytest.mark.slow
def test_an_error_in_the_display_leaves_no_process_behind(tmp_path, job_in, diary):
    def break_down(job, step):
        raise ZeroDivisionError

    diary.actions["started"] = break_down
    with pytest.raises(ZeroDivisionError):
        Local(1, 1).execute([job_in(tmp_path, **LONG)], diary)
    assert workers() == []


SCRIPT = """
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from narlab.experiments.sweeping import sweep
from narlab.experiments.sweeping.jobs import Job
from narlab.experiments.sweeping.local import Local
from narlab.training import Run

def show(event):
    if event.kind != "step":
        value = event.value["step"] if event.kind == "evaluation" else event.value
        print(event.kind, event.job.name, value, flush=True)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where tests run in the background
    jobs = [Job(Run.from_toml(Path(file)), Path(file).with_suffix("")) for file in sys.argv[1:]]
    sweep.execute(jobs, Local(1, 1), show)
"""


def start(tmp_path, jobs):
    """A sweep of the jobs in a process of its own."""
    (tmp_path / "script.py").write_text(SCRIPT)
    for job in jobs:
        job.folder.with_suffix(".toml").write_text(job.run.to_toml())
    files = [str(job.folder.with_suffix(".toml")) for job in jobs]
    command = [sys.executable, str(tmp_path / "script.py"), *files]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def until(process, *words):
    """Read lines until one has all the words."""
    for line in process.stdout:
        if all(word in line.split() for word in words):
            return
    pytest.fail(f"ended before {words}: {process.stderr.read()}")


def group_is_gone(group):
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
def test_a_killed_sweep_is_gone_on_with(tmp_path, job_in, same_as_alone):
    jobs = [job_in(tmp_path, 1), job_in(tmp_path, 2, **LONG)]
    broken = start(tmp_path, jobs)
    until(broken, "evaluation", "bfs-2", "60")
    broken.kill()
    broken.communicate()
    assert group_is_gone(broken.pid), "the workers outlived the sweep"
    out, err = start(tmp_path, jobs).communicate()
    assert err == ""
    assert "bfs-1" not in out
    assert "started bfs-2 0\n" not in out
    same_as_alone(jobs[0])
    same_as_alone(jobs[1])


@pytest.mark.slow
@pytest.mark.parametrize("to_all", [True, False], ids=["from the terminal", "to the sweep alone"])
def test_ctrl_c_saves_the_step_each_run_is_at(tmp_path, job_in, to_all):
    job = job_in(tmp_path, steps=10**6, validate_every=10**6)
    process = start(tmp_path, [job])
    until(process, "started", "bfs-42")
    time.sleep(0.5)
    (os.killpg if to_all else os.kill)(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert "stopping after the step each run is at" in out
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert err.count("Traceback") == 1
    assert group_is_gone(process.pid)
    assert (job.folder / "checkpoint.safetensors").exists()


@pytest.mark.slow
def test_two_sweeps_share_the_runs(tmp_path, job_in, same_as_alone):
    jobs = [job_in(tmp_path, 1, **LONG), job_in(tmp_path, 2, **LONG)]
    first = start(tmp_path, jobs)
    until(first, "started", "bfs-1")
    os.killpg(first.pid, signal.SIGSTOP)  # so that it is slower, and still holds its run
    ours = start(tmp_path, jobs).communicate()[0]
    os.killpg(first.pid, signal.SIGCONT)
    theirs = first.communicate()[0]
    assert "held bfs-1 " in ours
    assert "evaluation bfs-1" not in ours
    assert "finished bfs-2" in ours
    assert "finished bfs-1" in theirs
    assert "evaluation bfs-2" not in theirs
    for job in jobs:
        same_as_alone(job)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 0}, "workers must be an integer from 1 to 256, got 0"),
        ({"threads": 0}, "threads must be an integer from 1 to"),
        ({"workers": 2, "threads": 2}, "2 workers of 2 threads need 4 cores, but there are 2; .* take fewer of either"),
        ({"workers": 3}, "3 workers of 1 threads need 3 cores, but there are 2"),
        ({"device": "gpu"}, "unknown device 'gpu'"),
    ],
)
def test_what_this_machine_can_not_do(monkeypatch, options, message):
    monkeypatch.setattr(local, "cores", lambda: 2)
    with pytest.raises(ValueError, match=message):
        Local(**options)


def test_the_cores_are_shared_out(monkeypatch):
    monkeypatch.setattr(local, "cores", lambda: 8)
    assert [Local(k).share for k in (1, 2, 3, 8)] == [8, 4, 2, 1]
