"""Tiny jobs, what they leave, and a diary that writes down what it is told."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from narlab.experiments.sweeping.jobs import Job
from narlab.training import Run


@pytest.fixture
def job_in():
    """A small job in a folder of its own below a folder."""

    def make(root, seed=42, **changes):
        run = Run("bfs", dataset="custom", n=6, test_n=8, hidden=8, depth=3, seed=seed, samples=50)
        run = replace(run, steps=12, validate_every=4, test_every=8)
        return Job(replace(run, **changes).resolved(), root / f"bfs-{seed}")

    return make


@pytest.fixture
def leavings():
    """All that a run leaves, but the times it took and the checkpoints on the way."""

    def read(job):
        found = {
            name: (job.folder / name).read_bytes() for name in ("run.toml", "best.safetensors", "last.safetensors")
        }
        lines = [json.loads(line) for line in (job.folder / "metrics.jsonl").read_text().splitlines()]
        result = json.loads((job.folder / "result.json").read_text())
        return found, [line | {"seconds": 0} for line in lines], result | {"seconds": 0}

    return read


@dataclass
class Diary:
    """What happened, in order; `actions` of the tests' own are called with a job and its event's value."""

    entries: list[tuple] = field(default_factory=list)
    actions: dict[str, Callable] = field(default_factory=dict)

    def __call__(self, event):
        value = event.value["step"] if event.kind == "evaluation" else event.value
        self.entries.append((event.kind, event.value if event.kind == "said" else event.job.name, value))
        if event.kind in self.actions:
            self.actions[event.kind](event.job, event.value)

    def of(self, kind):
        """The entries of one kind, without it."""
        return [entry[1:] for entry in self.entries if entry[0] == kind]


@pytest.fixture
def diary():
    return Diary()
