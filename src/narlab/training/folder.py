"""A run's folder: each file is written whole or not at all.

| file | what |
|---|---|
| run.toml | the run, resolved |
| environment.json | an entry per process that trained it: versions, machine, packages from outside |
| metrics.jsonl | a line per evaluation |
| best.safetensors | the chosen weights |
| checkpoint.safetensors, checkpoint.previous.safetensors | all it takes to go on: weights, optimiser, counters |
| last.safetensors, result.json | the last weights and the result, once the run is done |

A result has the chosen model's scores, its `depth` and the `protocol` by which they came about; those of older versions
have no depth and no protocol.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from narlab.common import evenly
from narlab.common.errors import UsageError
from narlab.training import environment, lock
from narlab.training.lock import HeldError
from narlab.training.run import ResolvedRun, Run

__all__ = ["Folder", "HeldError", "Tensors"]

Tensors = dict[str, Tensor]
RESULT = ("step", "val", "val_graph", "test", "test_graph", "seconds")  # what every result has; metrics add their own
UNFINISHED = ".unfinished"


class Folder:
    """The folder of one run."""

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = Path(path)

    @contextmanager
    def locked(self, say: Callable[[str], None] = print) -> Iterator[None]:
        """While this lasts, no other process trains in the folder; a `HeldError` if one does already.

        `say` is told where the system has no locks, and nothing is locked.
        """
        with _clear_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            (self.path / lock.NAME).touch()
        with lock.locked(self.path, say):
            yield

    def holder(self) -> str | None:
        """Who trains in the folder now: a user, a machine, a process, and since when."""
        return lock.holder(self.path)

    def begin(self, run: ResolvedRun) -> None:
        """Make the folder `run`'s own, or see that it is."""
        if self.is_run():
            self._check_same(run)
        elif self.path.is_dir() and not all(map(_is_ours, self.path.iterdir())):
            raise UsageError(f"{str(self.path)!r} is not empty and holds no run; choose another folder")
        else:
            self.write("run.toml", run.to_toml().encode())

    def is_run(self) -> bool:
        return (self.path / "run.toml").is_file()

    def run(self) -> ResolvedRun:
        """The folder's run; a `ValueError` if there is none, or if a package that it needs is not installed."""
        run = self.run_as_written()
        environment.check_installed(self.path, self.sessions())
        return run.resolved()

    def run_as_written(self) -> Run:
        """What run.toml says, for lists and reports: things that it names need not be there."""
        if not self.is_run():
            raise UsageError(f"{str(self.path)!r} is no run: it has no run.toml")
        return Run.from_toml(self.path / "run.toml")

    def _check_same(self, run: ResolvedRun) -> None:
        theirs = self.run().settings()
        for name, ours in run.settings().items():
            if ours != theirs[name]:
                raise UsageError(
                    f"{str(self.path)!r} belongs to another run: its {name} is {theirs[name]!r}, not {ours!r}; "
                    "choose another folder"
                )

    def sessions(self) -> list[dict[str, Any]]:
        """Where the run was trained, an entry per process; nothing in a folder of version 0.1."""
        try:
            found = json.loads((self.path / "environment.json").read_bytes())
        except (OSError, ValueError):  # it says where numbers are from; no number depends on it
            return []
        return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []

    def add_session(self, entry: dict[str, Any]) -> None:
        """Note one more process that trains the run."""
        self.write("environment.json", (json.dumps([*self.sessions(), entry], indent=1) + "\n").encode())

    def write(self, name: str, content: bytes) -> None:
        """Write a file whole or not at all."""
        unfinished = self.path / f".{name}{UNFINISHED}"
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

    def metrics(self, most: int | None = None) -> list[dict[str, Any]]:
        """All whole lines of the metrics log; with `most`, so many spread evenly, and as many of those with a test."""
        path = self.path / "metrics.jsonl"
        lines = path.read_bytes().splitlines() if path.exists() else []
        found = []
        for line in lines if most is None else _spread(lines, most):
            with suppress(ValueError):
                found.append(json.loads(line))
        return [line for line in found if isinstance(line, dict) and "step" in line]

    def last_metrics(self) -> dict[str, Any]:
        """The last whole line of the metrics log; empty if there is none."""
        found = self.metrics(most=1) or self.metrics()
        return found[-1] if found else {}

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
            if (
                not isinstance(found, dict)
                or not found.keys() >= set(RESULT)
                or not all(_is_number(found[name]) for name in RESULT)
            ):
                raise UsageError(f"it must hold a number for each of {', '.join(RESULT)}")
        except (OSError, ValueError) as error:
            remedy = f"remove it, and narlab train --resume {self.path} makes it again"
            raise UsageError(f"{str(path)!r} can't be read: {error}; {remedy}") from error
        return found


def _spread(lines: list[bytes], most: int) -> list[bytes]:
    """Lines of a metrics log that stand for all: to read a line takes longer than to leave it out."""
    tests = [number for number, line in enumerate(lines) if b'"test"' in line]
    chosen = {*evenly(range(len(lines)), most), *evenly(tests, most)}
    return [lines[number] for number in sorted(chosen)]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_ours(file: Path) -> bool:
    """Whether a file is a lock, or what a process left that was killed while it wrote a file."""
    return file.name == lock.NAME or (file.name.startswith(".") and file.name.endswith(UNFINISHED))


@contextmanager
def _clear_errors(path: Path, remedy: str = "") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"cannot write {str(path)!r}: {error.strerror or error}; nothing that was there is lost{remedy}"
        ) from error
