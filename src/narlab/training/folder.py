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
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from narlab.training.run import Run

Tensors = dict[str, Tensor]


class Folder:
    """The folder of one run."""

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = Path(path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """While this lasts, no other process trains in the folder."""
        with _clear_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            lock = (self.path / ".lock").open("w")
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ValueError(f"another process is training in {str(self.path)!r}; wait for it or end it") from None
            yield

    def begin(self, run: Run) -> None:
        """Make the folder `run`'s own, or see that it is."""
        if self.is_run():
            self._check_same(run)
        elif self.path.is_dir() and any(file.name != ".lock" for file in self.path.iterdir()):
            raise ValueError(f"{str(self.path)!r} is not empty and holds no run; choose another folder")
        else:
            self.write("run.toml", run.to_toml().encode())

    def is_run(self) -> bool:
        return (self.path / "run.toml").is_file()

    def run(self) -> Run:
        if not self.is_run():
            raise ValueError(f"{str(self.path)!r} is no run: it has no run.toml")
        return Run.from_toml(self.path / "run.toml")

    def _check_same(self, run: Run) -> None:
        there = self.run()
        for field in fields(Run):
            ours, theirs = getattr(run, field.name), getattr(there, field.name)
            if ours != theirs:
                raise ValueError(
                    f"{str(self.path)!r} belongs to another run: its {field.name} is {theirs!r}, not {ours!r}; "
                    "choose another folder"
                )

    def write(self, name: str, content: bytes) -> None:
        """Write a file whole or not at all."""
        unfinished = self.path / f".{name}.unfinished"
        with _clear_errors(self.path / name):
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
            raise ValueError(f"{str(path)!r} can't be read: {error}") from error

    def write_checkpoint(self, tensors: Tensors, facts: dict[str, Any]) -> None:
        """Write a checkpoint and keep the one before."""
        with _clear_errors(self.path), suppress(FileNotFoundError):
            os.replace(self.path / "checkpoint.safetensors", self.path / "checkpoint.previous.safetensors")
        self.write_tensors("checkpoint.safetensors", tensors, facts)

    def read_checkpoint(self) -> tuple[Tensors, dict[str, Any], str | None] | None:
        """The newest checkpoint that is whole, and a word on those that are not; `None` if there is none."""
        complaint = None
        for name in ("checkpoint.safetensors", "checkpoint.previous.safetensors"):
            if not (self.path / name).exists():
                continue
            try:
                tensors, facts = self.read_tensors(name)
            except ValueError as error:
                complaint = f"{error}; going on from the checkpoint before it"
                continue
            return tensors, facts, complaint
        if complaint is not None:
            raise ValueError(f"no checkpoint of {str(self.path)!r} can be read; train it anew in another folder")
        return None

    def append_metrics(self, line: dict[str, Any]) -> None:
        with _clear_errors(self.path / "metrics.jsonl"), (self.path / "metrics.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")

    def metrics(self) -> list[dict[str, Any]]:
        """All whole lines of the metrics log."""
        path = self.path / "metrics.jsonl"
        found = []
        for line in path.read_text().splitlines() if path.exists() else []:
            with suppress(ValueError):
                found.append(json.loads(line))
        return found

    def keep_metrics_until(self, step: int) -> None:
        """Drop what was logged after `step`: it will be logged again."""
        kept = [line for line in self.metrics() if line["step"] <= step]
        self.write("metrics.jsonl", "".join(json.dumps(line) + "\n" for line in kept).encode())

    def result(self) -> dict[str, Any] | None:
        path = self.path / "result.json"
        return json.loads(path.read_text()) if path.exists() else None


@contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ValueError(
            f"cannot write {str(path)!r}: {error.strerror or error}; nothing that was there is lost"
        ) from error


def clone(state: Tensors) -> Tensors:
    """A copy that later steps don't change."""
    return {name: tensor.detach().clone() for name, tensor in state.items()}
