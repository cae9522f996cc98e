"""What other systems lack: locks, on some file systems too, and a list of cores; and what a killed process leaves."""

import errno
import os
import subprocess
import sys

import pytest

from narlab.common import files
from narlab.training import train
from narlab.training.folder import Folder, HeldError
from narlab.training.reporting import PlainLines


class Heard(PlainLines):
    """Keeps what it is told."""

    def __init__(self):
        super().__init__(write=lambda text: self.said.append(text))
        self.said: list[str] = []


HIDDEN = """
import os, signal, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
for name in ("sched_getaffinity", "getuid", "fork"):
    delattr(os, name)
from narlab.cli import main
run = "bfs --dataset custom --n 6 --hidden 8 --depth 2 --steps 2 --samples 8 --threads 1 --out run"
main(["train", *run.split()])
main(["evaluate", "run"])
main(["generate", "clrs", "bfs", "--split", "val", "--out", "bfs.npz"])
"""


def test_a_system_without_locks_and_cores_trains_evaluates_and_generates(tmp_path):
    done = subprocess.run([sys.executable, "-c", HIDDEN], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("can't be locked here") == 1
    assert "chosen at step 2" in done.stdout
    assert (tmp_path / "bfs.npz").exists()


@pytest.mark.parametrize("code", [errno.ENOTSUP, errno.ENOLCK, errno.ENOSYS, errno.EINVAL])
def test_a_file_system_without_locks_is_said_once_and_trained_on(tmp_path, tiny, monkeypatch, code):
    def refuse(file, operation):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(files.fcntl, "flock", refuse)
    reporter = Heard()
    train(tiny, tmp_path / "run", threads=1, reporter=reporter)
    assert reporter.said[0] == (
        f"{str(tmp_path / 'run')!r} can't be locked here: see to it that no other process trains in it"
    )
    assert sum("locked" in text for text in reporter.said) == 1
    assert Folder(tmp_path / "run").holder() is None


def test_a_lock_that_another_has_is_an_error_that_names_the_other(tmp_path, tiny):
    folder = Folder(tmp_path / "run")
    with folder.locked():
        with pytest.raises(HeldError, match=f"another process is training in .* process {os.getpid()}, since"):
            train(tiny, tmp_path / "run", reporter=Heard())
        assert f"process {os.getpid()}" in folder.holder()
    assert folder.holder() is None


def test_what_a_process_left_that_was_killed_while_writing_is_in_nobody_s_way(tmp_path, tiny):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / ".run.toml.unfinished").write_text('algorithm = "b')
    train(tiny, folder, threads=1, reporter=Heard())
    assert not list(folder.glob(".*.unfinished"))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".bashrc").write_text("precious")
    with pytest.raises(ValueError, match="is not empty and holds no run"):
        train(tiny, tmp_path / "other", reporter=Heard())


COUNTS_CALLS = """
from narlab.common import machine
called = []
machine.keep_freed_memory = lambda: called.append(1)
from narlab.cli import main
from narlab.training import Run, train
train(Run("bfs", dataset="custom", n=4, hidden=4, depth=2, steps=1, samples=4), "a", threads=1)
print("in a library:", len(called))
main("train bfs --dataset custom --n 4 --hidden 4 --depth 2 --steps 1 --samples 4 --threads 1 --out b".split())
print("on the command line:", len(called))
"""


@pytest.mark.slow
def test_only_the_command_line_changes_how_the_process_keeps_memory(tmp_path):
    done = subprocess.run([sys.executable, "-c", COUNTS_CALLS], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "in a library: 0" in done.stdout
    assert "on the command line: 1" in done.stdout
