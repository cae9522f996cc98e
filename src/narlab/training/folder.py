"""A run's folder: each file is written whole or not at all.

| file | what |
|---|---|
| run.toml | the run |
| metrics.jsonl | a line per evaluation |
| best.safetensors | the chosen weights |
| checkpoint.safetensors, checkpoint.previous.safetensors | all it takes to go on: weights, optimiser, counters |
| last.safetensors, result.json | the last weights and the result, once the run is done |
"""

import fcntl
import getpass
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import Any, TextIO

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from narlab.common.errors import UsageError
from narlab.training.run import Run

Tensors = dict[str, Tensor]
RESULT = ("step", "val", "val_graph", "test", "test_graph", "seconds")
LOOKS, BETWEEN_LOOKS = 3, 0.05  # times and seconds: who only asks for the holder has the lock for a moment, too


class HeldError(UsageError):
    """Another process is training in the folder."""

    def __init__(self, path: Path, owner: str) -> None:
        super().__init__(f"another process is training in {str(path)!r}: {owner}; wait for it or end it")
        self.owner = owner


class Folder:
    """The folder of one run."""

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = Path(path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """While this lasts, no other process trains in the folder; a `HeldError` if one does already."""
        with _clear_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            lock = (self.path / ".lock").open("a+")  # keeps the name that is in it
        with lock:
            if not _taken(lock):
                raise HeldError(self.path, _owner_in(lock))
            with suppress(OSError):  # a full disk has room for a lock, though not for its owner's name
                os.truncate(lock.fileno(), 0)
                os.write(lock.fileno(), _this_process().encode())
            try:
                yield
            finally:
                os.truncate(lock.fileno(), 0)

    def holder(self) -> str | None:
        """Who trains in the folder now: a user, a machine, a process, and since when."""
        try:
            lock = (self.path / ".lock").open()
        except OSError:
            return None
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return _owner_in(lock)
        return None

    def begin(self, run: Run) -> None:
        """Make the folder `run`'s own, or see that it is."""
        if self.is_run():
            self._check_same(run)
        elif self.path.is_dir() and any(file.name != ".lock" for file in self.path.iterdir()):
            raise UsageError(f"{str(self.path)!r} is not empty and holds no run; choose another folder")
        else:
            self.write("run.toml", run.to_toml().encode())

    def is_run(self) -> bool:
        return (self.path / "run.toml").is_file()

    def run(self) -> Run:
        if not self.is_run():
            raise UsageError(f"{str(self.path)!r} is no run: it has no run.toml")
        return Run.from_toml(self.path / "run.toml")

    def _check_same(self, run: Run) -> None:
        there = self.run()
        for field in fields(Run):
            ours, theirs = getattr(run, field.name), getattr(there, field.name)
            if ours != theirs:
                raise UsageError(
                    f"{str(self.path)!r} belongs to another run: its {field.name} is {theirs!r}, not {ours!r}; "
                    "choose another folder"
                )

    def write(self, name: str, content: bytes) -> None:
        """Write a file whole or not at all."""
        unfinished = self.path / f".{name}.unfinished"
        with self._writing(name):
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                with unfinished.open("wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(unfinished, self.path / name)
            finally:
                with suppress(OSError):
                    unfinished.unlink(missing_ok=True)

    def _writing(self, name: str) -> AbstractContextManager[None]:
        """Clear words where a file can't be written, as on a full disk, and how to go on."""
        remedy = f"; put that right, then go on with: narlab train --resume {self.path}" if self.is_run() else ""
        return _clear_errors(self.path / name, remedy)

    def write_tensors(self, name: str, tensors: Tensors, facts: dict[str, Any]) -> None:
        contiguous = {key: tensor.detach().cpu().contiguous() for key, tensor in tensors.items()}
        self.write(name, save(contiguous, metadata={"narlab": json.dumps(facts)}))

    def read_tensors(self, name: str) -> tuple[Tensors, dict[str, Any]]:
        """Tensors and facts of a file; a `ValueError` if it is not whole."""
        path = self.path / name
        try:
            with safe_open(path, framework="pt") as file:
                facts = json.loads((file.metadata() or {})["narlab"])
                return {key: file.get_tensor(key) for key in file.keys()}, facts  # noqa: SIM118 (no mapping)
        except (SafetensorError, KeyError, OSError, ValueError) as error:
            raise UsageError(f"{str(path)!r} can't be read: {error}") from error

    def write_checkpoint(self, tensors: Tensors, facts: dict[str, Any]) -> None:
        """Write a checkpoint and keep the newest whole one before, from which the run goes on if this fails."""
        name, previous = "checkpoint.safetensors", "checkpoint.previous.safetensors"
        if self._is_whole(name):
            with self._writing(previous):
                os.replace(self.path / name, self.path / previous)
        self.write_tensors(name, tensors, facts)

    def _is_whole(self, name: str) -> bool:
        try:
            with safe_open(self.path / name, framework="pt"):
                return True
        except (SafetensorError, OSError):
            return False

    def read_checkpoint(self) -> tuple[Tensors, dict[str, Any], str | None] | None:
        """The newest checkpoint that is whole, and a word on those that are not; `None` if there is none."""
        complaint = None
        for name in ("checkpoint.safetensors", "checkpoint.previous.safetensors"):
            if not (self.path / name).exists():
                continue
            try:
                tensors, facts = self.read_tensors(name)
            except UsageError as error:
                complaint = f"{error}; going on from the checkpoint before it"
                continue
            return tensors, facts, complaint
        if complaint is not None:
            raise UsageError(f"no checkpoint of {str(self.path)!r} can be read; train it anew in another folder")
        return None

    def append_metrics(self, line: dict[str, Any]) -> None:
        self.append("metrics.jsonl", (json.dumps(line) + "\n").encode())

    def append(self, name: str, content: bytes) -> None:
        """Add all of `content` to the end of a file, or nothing."""
        path = self.path / name
        with self._writing(name):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab", buffering=0) as file:
                before = file.tell()
                try:
                    while content:  # a disk that fills up takes a part before it refuses the rest
                        content = content[file.write(content) :]
                except OSError:
                    file.truncate(before)
                    raise

    def metrics(self) -> list[dict[str, Any]]:
        """All whole lines of the metrics log."""
        path = self.path / "metrics.jsonl"
        found = []
        for line in path.read_bytes().splitlines() if path.exists() else []:
            with suppress(ValueError):
                found.append(json.loads(line))
        return [line for line in found if isinstance(line, dict) and "step" in line]

    def keep_metrics_until(self, step: int) -> None:
        """Drop what was logged after `step`: it will be logged again."""
        kept = [line for line in self.metrics() if line["step"] <= step]
        self.write("metrics.jsonl", "".join(json.dumps(line) + "\n" for line in kept).encode())

    def result(self) -> dict[str, Any] | None:
        """What result.json says, if the run is done; a `ValueError` if that is not a result."""
        path = self.path / "result.json"
        if not path.exists():
            return None
        try:
            found = json.loads(path.read_bytes())
            if not isinstance(found, dict) or found.keys() != set(RESULT) or not all(map(_is_number, found.values())):
                raise UsageError(f"it must hold a number for each of {', '.join(RESULT)}")
        except (OSError, ValueError) as error:
            remedy = f"remove it, and narlab train --resume {self.path} makes it again"
            raise UsageError(f"{str(path)!r} can't be read: {error}; {remedy}") from error
        return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _taken(lock: TextIO) -> bool:
    """Take the lock, or say that somebody has it."""
    for _ in range(LOOKS):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(BETWEEN_LOOKS)
        else:
            return True
    return False


def _owner_in(lock: TextIO) -> str:
    lock.seek(0)
    return lock.read().strip() or "one that does not say who it is"


def _this_process() -> str:
    now = time.strftime("%Y-%m-%d %H:%M:%S")
    return f"{_user()} on {socket.gethostname()}, process {os.getpid()}, since {now}\n"


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        return f"user {os.getuid()}"


@contextmanager
def _clear_errors(path: Path, remedy: str = "") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"cannot write {str(path)!r}: {error.strerror or error}; nothing that was there is lost{remedy}"
        ) from error


def clone(state: Tensors) -> Tensors:
    """A copy that later steps don't change."""
    return {name: tensor.detach().clone() for name, tensor in state.items()}
