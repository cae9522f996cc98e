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

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from narlab.common import evenly, files
from narlab.common.errors import Either, Number, Record, Text, UsageError, Whole, fits
from narlab.common.files import HeldError, clear_errors
from narlab.training import environment
from narlab.training.run import ResolvedRun, Run

__all__ = ["Folder", "HeldError", "Tensors"]

Tensors = dict[str, Tensor]
SHARE, ANY_NUMBER, SECONDS = Number(0, 1), Number(or_not_finite=True), Number(0)
SHARES = ("val", "val_graph", "test", "test_graph")
RESULT = ("step", *SHARES, "seconds")  # what every result has; metrics add their own
RESULT_SCHEMA = Record(
    {"step": Whole(), **dict.fromkeys(SHARES, SHARE), "seconds": SECONDS},
    {"protocol": Text(), "depth": Either(Whole(1), Text()), "depths": Record(others=ANY_NUMBER)},
    others=ANY_NUMBER,
)
METRICS_SCHEMA = Record(
    {"step": Whole()}, {"loss": Number(), "seconds": SECONDS, **dict.fromkeys(SHARES, SHARE)}, others=ANY_NUMBER
)
CHOSEN_SCHEMA = Record({"step": Whole()}, dict.fromkeys(SHARES, SHARE), others=ANY_NUMBER)
CHECKPOINT_SCHEMA = Record({"step": Whole(), "seconds": SECONDS, "losses": Number(), "best": CHOSEN_SCHEMA})
FACTS = "narlab"  # what our metadata of a file of tensors are called: one name, since their order is not fixed
CHECKSUM = "sha256"  # the last of the facts
CHECKPOINTS = ("checkpoint.safetensors", "checkpoint.previous.safetensors")


class Folder:
    """The folder of one run."""

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = Path(path)
        self._lock: Any = None  # while it is locked

    @contextmanager
    def locked(self, say: Callable[[str], None] = print) -> Iterator[None]:
        """While this lasts, no other process trains in the folder; a `HeldError` if one does already.

        `say` is told where the system has no locks. What a process left that was killed while it wrote is removed.
        """
        is_new = not self.path.exists()
        with clear_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        try:
            with files.locked(self.path, say) as self._lock:
                for file in filter(files.is_unfinished, self.path.iterdir()):
                    file.unlink(missing_ok=True)
                yield
        finally:
            self._lock = None
            if is_new:
                with suppress(OSError):
                    self.path.rmdir()  # if nothing came of it

    def check_there(self) -> None:
        """Raise a `UsageError` if the folder that this process has locked was removed."""
        if self._lock is not None and not files.holds(self.path, self._lock):
            raise UsageError(f"{str(self.path)!r} was removed while the run was trained in it; train it anew")

    def holder(self) -> str | None:
        """Who trains in the folder now: a user, a machine, a process, and since when."""
        return files.holder(self.path)

    def check(self, run: ResolvedRun) -> None:
        """Raise a `UsageError` if the folder is another run's or somebody else's."""
        if self.is_run():
            self._check_same(run)
        elif self.path.is_dir() and not all(map(_is_ours, self.path.iterdir())):
            raise UsageError(f"{str(self.path)!r} is not empty and holds no run; choose another folder")
        else:
            files.check_folder(self.path, f"cannot write {str(self.path)!r}")

    def begin(self, run: ResolvedRun) -> None:
        """Make the folder `run`'s own, or see that it is."""
        self.check(run)
        if not self.is_run():
            self.write("run.toml", run.to_toml().encode())

    def is_run(self) -> bool:
        return (self.path / "run.toml").is_file()

    def _check_is_run(self) -> None:
        if not self.is_run():
            raise UsageError(f"{str(self.path)!r} is no run: it has no run.toml")

    def run(self) -> ResolvedRun:
        """The folder's run; a `ValueError` if there is none, or if a package that it needs is not installed."""
        run = self.run_as_written()
        environment.check_installed(self.path, self.sessions())
        return run.resolved()

    def run_as_written(self) -> Run:
        """What run.toml says, for lists and reports: things that it names need not be there."""
        self._check_is_run()
        run = Run.from_toml(self.path / "run.toml")
        return replace(run, pair_features=()) if run.pair_features is None else run  # none, where nothing was said yet

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
            found = files.parse_json(files.read_bytes(self.path / "environment.json"))
        except (OSError, ValueError):  # it says where numbers are from; no number depends on it
            return []
        return [entry for entry in found if fits(environment.SESSION_SCHEMA, entry)] if isinstance(found, list) else []

    def add_session(self, entry: dict[str, Any]) -> None:
        """Note one more process that trains the run."""
        self.write("environment.json", (json.dumps([*self.sessions(), entry], indent=1) + "\n").encode())

    def resume_command(self) -> str:
        """What goes on with the run to the same bits: with as many threads as the last process had."""
        threads = [entry["threads"] for entry in self.sessions()[-1:] if "threads" in entry]
        return f"narlab train --resume {self.path}" + "".join(f" --threads {count}" for count in threads)

    def write(self, name: str, content: bytes) -> None:
        """Write a file whole or not at all."""
        self.check_there()
        with self._writing(name), files.whole_file_in(self.path, name) as file:
            file.write(content)

    def _writing(self, name: str) -> AbstractContextManager[None]:
        """Clear words where a file can't be written, as on a full disk, and how to go on."""
        remedy = f"; put that right, then go on with: {self.resume_command()}" if self.is_run() else ""
        return clear_errors(self.path / name, f"; nothing that was there is lost{remedy}")

    def write_tensors(self, name: str, tensors: Tensors, facts: dict[str, Any]) -> None:
        """Write tensors and facts, with a checksum of all of them."""
        contiguous = {key: tensor.detach().cpu().contiguous() for key, tensor in tensors.items()}
        sealed = json.dumps({**facts, CHECKSUM: _checksum(contiguous, facts)})
        self.write(name, save(contiguous, metadata={FACTS: sealed}))

    def read_tensors(self, name: str) -> tuple[Tensors, dict[str, Any]]:
        """Tensors and facts of a file; a `UsageError` if it is not as it was written. Older files have no checksum."""
        path = self.path / name
        try:
            files.check_ordinary(path)
            with safe_open(path, framework="pt") as file:
                metadata = file.metadata() or {}
                tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 (no mapping)
            facts = files.parse_json(metadata[FACTS])
            if isinstance(facts, dict) and facts.pop(CHECKSUM, None) not in (None, _checksum(tensors, facts)):
                raise UsageError("its checksum is not that of its contents: it was damaged or changed")
            _check_finite(tensors)
            (CHECKPOINT_SCHEMA if name in CHECKPOINTS else CHOSEN_SCHEMA).check(facts)
        except KeyError as error:
            raise UsageError(f"{str(path)!r} can't be read: it has no metadata called {error}") from None
        except (SafetensorError, OSError, ValueError, RuntimeError) as error:
            raise UsageError(f"{str(path)!r} can't be read: {error}") from error
        return tensors, facts

    def write_checkpoint(self, tensors: Tensors, facts: dict[str, Any]) -> None:
        """Write a checkpoint and keep the newest whole one before, from which the run goes on if this fails."""
        self.check_there()
        name, previous = CHECKPOINTS
        if self._is_whole(name):
            with self._writing(previous):
                os.replace(self.path / name, self.path / previous)
        self.write_tensors(name, tensors, facts)

    def _is_whole(self, name: str) -> bool:
        try:
            self.read_tensors(name)
        except UsageError:
            return False
        return True

    def read_checkpoint(
        self, check: Callable[[Tensors, dict[str, Any]], None] = lambda tensors, facts: None
    ) -> tuple[Tensors, dict[str, Any], str | None] | None:
        """The newest checkpoint that is whole and passes `check`, and a word on others; `None` if there is none."""
        complaints = []
        for name in CHECKPOINTS:
            if not (self.path / name).exists():
                continue
            try:
                tensors, facts = self.read_tensors(name)
                with _named(self.path / name):
                    check(tensors, facts)
            except UsageError as error:
                complaints.append(str(error))
                continue
            return tensors, facts, f"{complaints[0]}; going on from the checkpoint before it" if complaints else None
        if complaints:
            raise UsageError(
                f"no checkpoint of {str(self.path)!r} can be read; train it anew in another folder: {complaints[0]}"
            )
        return None

    def weights(self) -> tuple[Tensors, dict[str, Any]]:
        """The chosen weights, and the step and the scores that they were chosen by."""
        if not (self.path / "best.safetensors").exists():
            self._check_is_run()
            raise UsageError(f"{str(self.path)!r} has no chosen model yet: it is written at the first validation")
        return self.read_tensors("best.safetensors")

    def append_metrics(self, line: dict[str, Any]) -> None:
        self.append("metrics.jsonl", (json.dumps(line) + "\n").encode())

    def append(self, name: str, content: bytes) -> None:
        """Add all of `content` to the end of a file, or nothing."""
        self.check_there()
        path = self.path / name
        with self._writing(name):
            files.inside(self.path, *Path(name).parts[:-1]).mkdir(exist_ok=True)
            with files.open_own(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND) as file:
                before = os.fstat(file.fileno()).st_size
                try:
                    while content:  # a disk that fills up takes a part before it refuses the rest
                        content = content[file.write(content) :]
                except OSError:
                    file.truncate(before)
                    raise

    def metrics(self, most: int | None = None) -> list[dict[str, Any]]:
        """All whole lines of the metrics log; with `most`, so many spread evenly, and as many of those with a test.

        A `UsageError` for one that can be read and is no evaluation.
        """
        path, found = self.path / "metrics.jsonl", []
        try:
            lines = files.read_bytes(path).splitlines()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise UsageError(f"{str(path)!r} can't be read: {error.strerror}") from error
        for k in range(len(lines)) if most is None else _spread(lines, most):
            try:
                line = files.parse_json(lines[k])
                METRICS_SCHEMA.check(line)
            except (json.JSONDecodeError, UnicodeDecodeError):
                continue
            except UsageError as error:
                raise UsageError(f"{str(path)!r} can't be read: line {k + 1}: {error}") from error
            found.append(line)
        return found

    def last_metrics(self) -> dict[str, Any]:
        """The last whole line of the metrics log; empty if there is none."""
        found = self.metrics(most=1) or self.metrics()
        return found[-1] if found else {}

    def keep_metrics_until(self, step: int) -> None:
        """Drop what was logged after `step`: it will be logged again."""
        kept = [line for line in self.metrics() if line["step"] <= step]
        self.write("metrics.jsonl", "".join(json.dumps(line) + "\n" for line in kept).encode())

    def result(self) -> dict[str, Any] | None:
        """What result.json says, if the run is done; a `UsageError` if that is not a result."""
        remedy = f"; remove it, and narlab train --resume {self.path} makes it again"
        try:
            return files.read_json(self.path / "result.json", RESULT_SCHEMA, remedy=remedy)
        except FileNotFoundError:
            return None


def _spread(lines: list[bytes], most: int) -> list[int]:
    """Numbers of lines of a metrics log that stand for all: to read a line takes longer than to leave it out."""
    tests = [number for number, line in enumerate(lines) if b'"test"' in line]
    return sorted({*evenly(range(len(lines)), most), *evenly(tests, most)})


def _is_ours(file: Path) -> bool:
    """Whether a file is a lock, or what a process left that was killed while it wrote a file."""
    return file.name == files.LOCK or files.is_unfinished(file)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Errors name the file that they are of."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{str(path)!r} can't be read: {error}") from error


def _checksum(tensors: Mapping[str, Tensor], facts: dict[str, Any]) -> str:
    """SHA-256 of the facts and of each tensor's name, dtype, shape and bytes."""
    digest = hashlib.sha256(json.dumps(facts).encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"\n{name} {tensor.dtype} {list(tensor.shape)}\n".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def _check_finite(tensors: Mapping[str, Tensor]) -> None:
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
            raise UsageError(f"the tensor {name!r} must be finite, but holds NaN or infinity")
