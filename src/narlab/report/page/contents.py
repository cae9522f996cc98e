"""What a folder holds: outcomes of experiments and runs, wherever they are below it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any, TypeGuard

from narlab.common import printable
from narlab.common.errors import UsageError, check_integer
from narlab.evaluation import records
from narlab.experiments.declaring.outcome import Outcome
from narlab.report import outcome as outcomes
from narlab.report.page.curves import POINTS
from narlab.training.folder import Folder
from narlab.training.run import Run


@dataclass(frozen=True)
class OutcomeEntry:
    """An experiment's outcome; `where` is its folder, from the report's folder on."""

    where: str
    outcome: Outcome


@dataclass(frozen=True)
class RunEntry:
    """A run as its folder tells it; `group` is the folder that holds it and its like, from the report's folder on.

    `evaluations` are what `narlab evaluate` has left there, `sessions` the processes that trained it.
    """

    name: str
    group: str
    run: Run
    metrics: tuple[dict[str, Any], ...]
    result: dict[str, Any] | None
    evaluations: tuple[dict[str, Any], ...] = ()
    sessions: tuple[dict[str, Any], ...] = ()

    @property
    def where(self) -> str:
        """Its folder, from the report's folder on."""
        return f"{self.group}/{self.name}" if self.group else self.name

    @property
    def step(self) -> int:
        """Up to which step the metrics tell."""
        return int(self._last("step"))

    @property
    def steps(self) -> int:
        """How many the run is to make; up to where it is where its file, written by hand, does not say."""
        return self.run.steps if self.run.steps is not None else max(self.step, 1)

    @property
    def state(self) -> str:
        if self.result is not None:
            return "done"
        return "unfinished" if self.metrics else "not begun"

    @property
    def seconds(self) -> float:
        return float((self.result or {}).get("seconds") or self._last("seconds"))

    def _last(self, name: str) -> float:
        """The last number of this name in the metrics, 0 without one."""
        return next((line[name] for line in reversed(self.metrics) if is_number(line.get(name))), 0)

    def score(self, name: str) -> float | None:
        """A score of the chosen model, from 0 to 1; of an unfinished run the best validation and the latest test."""
        if self.result is not None:
            return self.result.get(name)
        values = [value for _, value in self.curve(name)]
        if not values:
            return None
        return max(values) if name.startswith("val") else values[-1]

    def curve(self, name: str) -> list[tuple[float, float]]:
        """The steps and values of what is called `name` in the metrics, as far as they are numbers."""
        return self._curves[name]

    @cached_property
    def _curves(self) -> dict[str, list[tuple[float, float]]]:
        curves = defaultdict(list)
        for line in self.metrics:
            for name, value in line.items():
                if is_number(value):
                    curves[name].append((line["step"], value))
        return curves


@dataclass(frozen=True)
class Contents:
    """All that is to be shown, and what could not be read."""

    title: str
    outcomes: tuple[OutcomeEntry, ...]
    runs: tuple[RunEntry, ...]
    complaints: tuple[str, ...]


def gather(folder: Path) -> Contents:
    """Everything below `folder`, which may be one run's or one experiment's own; a `ValueError` if that is nothing."""
    if not folder.is_dir():
        raise UsageError(f"there is no folder {str(folder)!r}; runs are made by narlab train and narlab reproduce")
    complaints: list[str] = []
    found = [entry for path in _below(folder, outcomes.FILE) for entry in _outcome(path, folder, complaints)]
    runs = [entry for path in _below(folder, "run.toml") for entry in _entry(path, folder, complaints)]
    if not found and not runs and not complaints:
        raise UsageError(f"no runs below {str(folder)!r}; they are made by narlab train and narlab reproduce")
    return Contents(printable(folder.resolve().name) or "/", tuple(found), tuple(runs), tuple(complaints))


def _below(folder: Path, name: str) -> Iterator[Path]:
    """The folders that hold a file of this name, in order; hidden ones are unfinished work."""
    for file in sorted(folder.rglob(name)):
        if not any(part.startswith(".") for part in file.relative_to(folder).parts):
            yield file.parent


def _outcome(path: Path, root: Path, complaints: list[str]) -> Iterable[OutcomeEntry]:
    where = _relative(path, root)
    try:
        return [OutcomeEntry(where, outcomes.read(path))]
    except UsageError as error:
        complaints.append(f"{where}: {error}")
        return []


def _entry(path: Path, root: Path, complaints: list[str]) -> Iterable[RunEntry]:
    folder, where = Folder(path), _relative(path, root)
    try:
        result = folder.result()
        metrics = tuple(folder.metrics(POINTS if result else None))
        group, run = where.rpartition("/")[0], folder.run_as_written()
        if run.steps is not None:
            check_integer("steps", run.steps, 1)
        evaluations = tuple(records.kept(path, complaints.append))
        sessions = tuple(folder.sessions())
        name = printable(path.resolve().name)
        return [RunEntry(name, group, run, metrics, _numbers(result), evaluations, sessions)]
    except (UsageError, OSError) as error:
        complaints.append(f"{where}: {error}")
        return []


def _relative(path: Path, root: Path) -> str:
    inside = path.relative_to(root).as_posix()
    return printable(root.resolve().name if inside == "." else inside)


def _numbers(result: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if result is None else {name: value for name, value in result.items() if is_number(value)}


def is_number(value: Any) -> TypeGuard[float]:
    return type(value) in (int, float) and isfinite(value)
