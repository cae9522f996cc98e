"""A disk that takes no more: clear words, no half file, nothing lost, and the run goes on to the same bits."""

import os
import resource
from contextlib import ExitStack, contextmanager

import pytest
import torch

from narlab.cli import main
from narlab.training import train
from narlab.training.folder import Folder
from narlab.training.reporting import PlainLines


@contextmanager
def room_for(size):
    """No file can grow beyond `size` bytes: writing fails in the middle, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


class Quiet(PlainLines):
    """Prints nothing."""

    def __init__(self):
        super().__init__(write=lambda text: self.said.append(text))
        self.said: list[str] = []


class FillsUp(Quiet):
    """After a step, files have room for so many bytes only."""

    def __init__(self, step, size, until):
        super().__init__()
        self.full_at, self.size, self.until = step, size, until

    def step(self, step, loss):
        if step == self.full_at:
            self.until.enter_context(room_for(self.size))


def train_until_full(run, folder, *, step, size):
    """What a run says that finds the disk full after a step."""
    with pytest.raises(ValueError, match="cannot write") as error, ExitStack() as until:
        train(run, folder, threads=1, reporter=FillsUp(step, size, until))
    assert not [name for name in os.listdir(folder) if "unfinished" in name]
    return str(error.value)


@pytest.fixture
def whole(tmp_path, tiny, everything):
    """All that a run leaves which was never short of room."""
    train(tiny, tmp_path / "whole", threads=1, reporter=Quiet())
    return everything(tmp_path / "whole")


@pytest.mark.parametrize(
    ("step", "size", "file", "again_after"),
    [
        (3, 1_000, "best.safetensors", 0),
        pytest.param(3, 20_000, "checkpoint.safetensors", 0, marks=pytest.mark.slow),
        (7, 150, "metrics.jsonl", 4),
        (11, 20_000, "checkpoint.safetensors", 8),
    ],
)
def test_a_run_goes_on_once_there_is_room(tmp_path, tiny, whole, everything, step, size, file, again_after):
    folder = tmp_path / "run"
    assert train_until_full(tiny, folder, step=step, size=size) == (
        f"cannot write {str(folder / file)!r}: File too large; nothing that was there is lost; "
        f"put that right, then go on with: narlab train --resume {folder} --threads 1"
    )
    reporter = Quiet()
    train(tiny, folder, threads=1, reporter=reporter)
    going_on = f", going on after step {again_after}" if again_after else ""
    assert reporter.said[0] == f"bfs on custom: mpnn_g, random_scalar, seed 42{going_on}"
    assert everything(folder) == whole


def test_no_room_at_all(tmp_path, tiny, whole, everything):
    with room_for(100), pytest.raises(ValueError, match=r"cannot write '.*run.toml': File too large"):
        train(tiny, tmp_path / "run", threads=1, reporter=Quiet())
    assert not (tmp_path / "run" / "run.toml").exists()
    train(tiny, tmp_path / "run", threads=1, reporter=Quiet())
    assert everything(tmp_path / "run") == whole


def test_no_room_after_a_truncated_checkpoint(tmp_path, tiny, whole, everything):
    folder = tmp_path / "run"
    train_until_full(tiny, folder, step=11, size=150)
    newest = folder / "checkpoint.safetensors"
    newest.write_bytes(newest.read_bytes()[:1000])
    train_until_full(tiny, folder, step=6, size=20_000)
    train(tiny, folder, threads=1, reporter=Quiet())
    assert everything(folder) == whole


def test_the_command_ends_with_one_line(tmp_path, tiny, capsys):
    train_until_full(tiny, tmp_path / "run", step=7, size=20_000)
    with room_for(20_000), pytest.raises(SystemExit) as end:
        main(["train", "--resume", str(tmp_path / "run"), "--threads", "1"])
    assert end.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(f"go on with: narlab train --resume {tmp_path / 'run'} --threads 1")


def test_a_failed_checkpoint_leaves_the_one_before(tmp_path):
    folder, others = Folder(tmp_path), {"seconds": 1.0, "losses": 0.5, "best": {"step": 0}}
    for step in (1, 2):
        folder.write_checkpoint({"w": torch.full((1000,), float(step))}, {"step": step, **others})
    for _ in range(2):  # failing once more costs nothing either
        with room_for(2000), pytest.raises(ValueError, match="cannot write"):
            folder.write_checkpoint({"w": torch.zeros(1000)}, {"step": 3, **others})
    tensors, facts, complaint = folder.read_checkpoint()
    assert (facts, complaint) == ({"step": 2, **others}, None)
    assert torch.equal(tensors["w"], torch.full((1000,), 2.0))


def test_a_line_is_appended_whole_or_not_at_all(tmp_path):
    folder = Folder(tmp_path)
    folder.append_metrics({"step": 1})
    with room_for(20), pytest.raises(ValueError, match=r"cannot write '.*metrics.jsonl'"):
        folder.append_metrics({"step": 2})
    assert (tmp_path / "metrics.jsonl").read_text() == '{"step": 1}\n'
