"""What a sweep is said to cost: measured, counted right, and measured once per kind of run."""

from dataclasses import replace
from time import process_time

import pytest
import torch

from narlab.experiments.sweeping.estimate import Pace, estimate, kind, measure
from narlab.training import Run, train

NOTHING = {"val": 0.0, "test": 0.0}


def test_steps_validations_and_tests_are_counted():
    run = Run("bfs", dataset="custom", n=6, steps=1050, validate_every=100, test_every=500).resolved()
    graphs = len(run.split("val"))
    steps, val, test = Pace(1.0, NOTHING), Pace(0.0, NOTHING | {"val": 1.0}), Pace(0.0, NOTHING | {"test": 1.0})
    assert steps.seconds(run, 0) == 1050
    assert steps.seconds(run, 1000) == 50
    assert val.seconds(run, 0) == 11 * graphs  # 100, ..., 1000 and 1050
    assert val.seconds(run, 1000) == graphs
    assert test.seconds(run, 0) == 4 * graphs  # 500, 1000, 1050, and the chosen model


def test_the_ladder_is_counted_with_its_depths_and_one_test():
    run = Run("quicksort", recipe="ladder", steps=100).resolved()
    splits = ("ladder_16", "ladder_24", "ladder_32")
    ladder = Pace(0.0, {**NOTHING, **dict.fromkeys(splits, 1.0)})
    assert ladder.seconds(run, 0) == (10 + 1) * 3 * 64  # ten evaluations, and one more at the depth n
    assert Pace(0.0, {**NOTHING, **dict.fromkeys(splits, 0.0), "test": 1.0}).seconds(run, 0) == 32


@pytest.mark.slow
def test_what_costs_the_same_is_measured_once_and_threads_are_as_they_were(tmp_path, job_in):
    jobs = [job_in(tmp_path, seed) for seed in (1, 2, 3)]
    told = []
    before = torch.get_num_threads()
    found = estimate(jobs, workers=2, threads=2, progress=lambda *numbers: told.append(numbers))
    assert torch.get_num_threads() == before == 1
    assert found.kinds == 1
    assert told == [(0, 1), (1, 1)]
    assert found.work > found.wall >= found.work / 2 > 0
    assert estimate([], workers=1, threads=1).wall == 0


@pytest.mark.parametrize(
    ("changes", "is_same"),
    [
        ({"seed": 7, "learning_rate": 1.0, "steps": 5, "position": "scalar"}, True),
        ({"algorithm": "dfs"}, True),
        ({"algorithm": "floyd_warshall"}, False),
        ({"algorithm": "quicksort"}, False),
        ({"processor": "gat"}, False),
        ({"n": 7}, False),
        ({"hidden": 16}, False),
        ({"hints": "encoded_decoded", "depth": None}, False),
    ],
)
def test_kinds(changes, is_same):
    run = Run("bfs", dataset="custom", n=6, hidden=8, depth=3)
    assert (kind(run.resolved()) == kind(replace(run, **changes).resolved())) is is_same


def test_what_was_begun_costs_less(tmp_path, job_in, monkeypatch):
    monkeypatch.setattr("narlab.experiments.sweeping.estimate.measure", lambda run, device: Pace(1.0, NOTHING))
    job, begun = job_in(tmp_path, 1), job_in(tmp_path, 2)
    begun.folder.mkdir(parents=True)
    (begun.folder / "metrics.jsonl").write_text('{"step": 8}\n')
    assert estimate([job, begun], workers=1, threads=1).work == 12 + 4


@pytest.mark.slow
def test_the_estimate_is_near_what_a_run_takes(tmp_path, job_in, monkeypatch):
    """By the time of the processor, which other programs change little; a wrong count would be far off."""
    monkeypatch.setattr("narlab.experiments.sweeping.estimate.perf_counter", process_time)
    job = job_in(tmp_path, steps=300, validate_every=50, test_every=100, hidden=32)
    train(job_in(tmp_path / "warm").run, tmp_path / "warm" / "run", threads=1)
    expected = measure(job.run, "cpu").seconds(job.run, 0)
    began = process_time()
    train(job.run, job.folder, threads=1)
    assert expected / 2 < process_time() - began < expected * 2
