"""Settings of these tests: tiny runs on one thread."""

import json

import pytest

from narlab.training import Run


@pytest.fixture
def tiny():
    """A run of a second."""
    return Run(
        "bfs", dataset="custom", n=6, test_n=8, hidden=8, depth=3, steps=12, validate_every=4, test_every=8, samples=50
    )


@pytest.fixture
def everything():
    """All that a run leaves in a folder, but the times it took and the checkpoints on the way."""

    def read(folder):
        found = {name: (folder / name).read_bytes() for name in ("run.toml", "best.safetensors", "last.safetensors")}
        lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
        result = json.loads((folder / "result.json").read_text())
        return found, [line | {"seconds": 0} for line in lines], result | {"seconds": 0}

    return read
