"""`narlab reproduce`: what it lists, trains, prints, refuses, and how it ends."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from narlab.cli import main
from narlab.experiments.declaring import layout
from narlab.experiments.declaring.selection import Selection
from narlab.experiments.sweeping.jobs import Job
from narlab.training.folder import Folder

pytestmark = pytest.mark.xdist_group("reproduce")
SMOKE = ["--budget", "smoke", "--threads", "1"]


def jobs_of(name, root, budget="smoke"):
    return [Job.of(root, budget, run) for run in Selection.of(name, budget=budget).runs()]


def reproduce(capsys, *arguments):
    """What the command prints, and its exit code."""
    try:
        main(["reproduce", *map(str, arguments)])
    except SystemExit as end:
        captured = capsys.readouterr()
        return captured.out + captured.err, end.code
    captured = capsys.readouterr()
    assert all(line.startswith("narlab: compiling ") for line in captured.err.splitlines()), captured.err
    return captured.out, 0


def test_what_is_missing_is_trained_and_the_table_printed(tmp_path, capsys):
    name, every = "controlled-shift", jobs_of("controlled-shift", tmp_path)
    jobs = [job for job in every if job.run.algorithm == "bfs"]
    command = [name, *SMOKE, "--algorithms", "bfs", "--out", tmp_path]
    listing, _ = reproduce(capsys, "--budget", "smoke", "--out", tmp_path)
    assert _row(listing, name)[1:4] == ["0", "0", str(len(every))]
    text, code = reproduce(capsys, *command)
    assert code == 0
    assert f"{len(jobs)} runs, 0 done" in text
    assert f"[{len(jobs)}/{len(jobs)}]" in text
    assert "paper" in text
    assert "within two" in text
    folder = layout.outcome_folder(tmp_path, "smoke", name)
    assert json.loads((folder / "outcome.json").read_text())["budget"] == "smoke"
    assert {".txt", ".md", ".tex", ".csv"} <= {file.suffix for file in folder.iterdir()}
    before = {job.name: (job.folder / "result.json").stat().st_mtime_ns for job in jobs}
    text, code = reproduce(capsys, *command)
    assert f"{len(jobs)} done, 0 begun, 0 not begun" in text
    assert before == {job.name: (job.folder / "result.json").stat().st_mtime_ns for job in jobs}
    listing, _ = reproduce(capsys, "--budget", "smoke", "--out", tmp_path)
    assert _row(listing, name)[1:4] == [str(len(jobs)), "0", str(len(every) - len(jobs))]
    listing, _ = reproduce(capsys, "--budget", "short", "--out", tmp_path)
    assert _row(listing, name)[1] == "0"


def _row(listing, name):
    return next(line.split() for line in listing.splitlines() if line.split()[:1] == [name])


@pytest.mark.slow
def test_a_failing_run_and_a_held_one_keep_nothing_else_from_being_done(tmp_path, capsys):
    bad, held, *others = jobs_of("controlled-shift", tmp_path)
    bad.folder.mkdir(parents=True)
    (bad.folder / "thesis.tex").write_text("precious")
    with Folder(held.folder).locked():
        text, code = reproduce(capsys, "controlled-shift", *SMOKE, "--out", tmp_path)
    assert code == 1
    assert f"{bad.name} failed:" in text
    assert "is not empty and holds no run" in text
    assert f"narlab: 1 run failed: {bad.name}" in text
    assert f"{held.name}: left to another sweep: " in text
    assert f"process {os.getpid()}" in text
    assert others
    assert all(Folder(job.folder).result() for job in others)
    assert (bad.folder / "thesis.tex").read_text() == "precious"
    (bad.folder / "thesis.tex").unlink()
    with Folder(held.folder).locked():
        text, code = reproduce(capsys, "controlled-shift", *SMOKE, "--out", tmp_path)
    assert code == 1
    assert "narlab: another sweep still trains 1 run: " in text


def test_a_dry_run_of_only_some_runs_trains_nothing(tmp_path, capsys):
    asked = ("--only", "processor=mpnn_g,position=scalar", "--algorithms", "bfs", "--dry-run")
    text, code = reproduce(capsys, "main", *SMOKE, *asked, "--out", tmp_path / "none")
    assert code == 0
    assert "1 run, 0 done, 0 begun, 1 not begun" in text
    assert "with 1 at a time and 1 thread each" in text
    assert "1 kind of runs, measured on this machine" in text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_what_has_no_runs_is_named_and_not_printed(tmp_path, capsys):
    asked = ("--only", "processor=mpnn_g,position=scalar", "--algorithms", "bfs")
    text, _ = reproduce(capsys, "main", *SMOKE, *asked, "--out", tmp_path)
    assert "Test scores, scalar index, in %" in text
    assert "no runs yet: two_wl, hybrid_average, hybrid_sigmoid" in text
    assert "no runs yet: Test scores, random scalar index" in text
    assert "Test scores, random scalar index, in %" not in text


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_is_stopped_says_how_to_go_on(tmp_path, number):
    code = "import signal as s; s.signal(s.SIGINT, s.default_int_handler); from narlab.cli import main; main()"
    words = ["reproduce", "index-shift", "--threads", "1", "--out", str(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert any("started" in line for line in process.stdout)
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "stopping after the step each run is at" in out
    assert err.strip().splitlines() == [
        f"narlab: stopped; what is done is kept, go on with: narlab reproduce index-shift --out {tmp_path} --threads 1"
    ]
    assert [
        job.name
        for job in jobs_of("index-shift", tmp_path, "short")
        if (job.folder / "checkpoint.safetensors").exists()
    ]
    assert is_gone(process.pid), "a process outlived the command"


def is_gone(group):
    """Whether all processes of a group end within ten seconds."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("mian", "unknown experiment 'mian'; did you mean 'main'?"),
        ("main --budget shrt", "unknown budget 'shrt'; did you mean 'short'?"),
        ("main --algorithms bfs,dsf", "unknown algorithm of main 'dsf'; did you mean 'dfs'?"),
        ("main --seeds 42,x", "--seeds must be integers such as 42,43, got 'x'"),
        ("main --only procesor=gat", "unknown setting of a run in --only 'procesor'; did you mean 'processor'?"),
        ("main --only processor", "--only needs settings such as processor=mpnn_g, got 'processor'"),
        (
            "main --only processor=mpnn",
            "unknown processor of main 'mpnn'; did you mean 'mpnn_g'? Known: hybrid_average",
        ),
        ("main --engine rya", "unknown engine 'rya'; did you mean 'ray'?"),
        ("main --cpus 2", "--cpus is for a cluster: add --engine ray, or leave it out"),
        ("main --address 10.0.0.1:6379", "--address is for a cluster"),
        ("main --engine ray --threads 2", "--threads is for --engine local"),
        ("main --engine ray --device cuda", "--device is for --engine local; on a cluster ask for GPUs: --gpus 1"),
        ("main --workers 0", "workers must be an integer from 1 to 256, got 0"),
        ("main --workers 200", "200 workers of 1 threads need 200 cores"),
        ("main --device gpu", "unknown device 'gpu'"),
        ("--seeds 42", "--seeds needs a name: narlab reproduce NAME --seeds"),
    ],
)
def test_mistakes_get_one_line(tmp_path, monkeypatch, capsys, line, message):
    monkeypatch.chdir(tmp_path)
    text, code = reproduce(capsys, *line.split())
    assert code == 2
    assert len(text.strip().splitlines()) == 1
    assert message in text
    assert list(tmp_path.iterdir()) == []
