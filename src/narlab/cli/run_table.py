"""Runs as a table: what was set, where they differ, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from narlab.cli.terminal import print_table
from narlab.common.errors import UsageError, unknown
from narlab.training.folder import Folder
from narlab.training.run import Run

ALWAYS = ("algorithm", "dataset", "processor", "seed")  # shown whether they differ or not
RESULTS = ("step", "val", "test", "state")
SCORES = ("val", "test", "val_graph", "test_graph")
MEANINGS = "val, test: scores on validation and test data, in percent; of an unfinished run the best and the latest"


@dataclass(frozen=True)
class RunRow:
    """A run as its folder tells it, or why it can't be read."""

    folder: Path
    settings: dict[str, Any]
    results: dict[str, Any]

    @classmethod
    def of(cls, path: Path) -> RunRow:
        """The run in a folder."""
        try:
            return cls._readable(Folder(path))
        except (OSError, TypeError, ValueError) as error:
            return cls(path, {}, {"state": f"unreadable: {error}"})

    @classmethod
    def _readable(cls, folder: Folder) -> RunRow:
        run, result = folder.run_as_written(), folder.result()
        metrics = folder.metrics(1 if result else None)
        scores = dict.fromkeys(SCORES)
        for name in SCORES:
            logged = [line[name] for line in metrics if name in line]
            so_far = None if not logged else max(logged) if name.startswith("val") else logged[-1]
            scores[name] = result.get(name) if result else so_far
            _percent(scores[name])
        step = metrics[-1]["step"] if metrics else 0
        state = "done" if result else "unfinished" if metrics else "not begun"
        return cls(folder.path, run.settings(), {"step": step, **scores, "state": state})

    def value(self, name: str) -> Any:
        """A setting or a result, by name."""
        return str(self.folder) if name == "folder" else {**self.settings, **self.results}.get(name)

    def as_dict(self) -> dict[str, Any]:
        given = {name: value for name, value in self.settings.items() if value is not None}
        return {"folder": str(self.folder), **given, **self.results}


def known_columns() -> list[str]:
    """All names that rows can be chosen and ordered by."""
    return ["folder", *Run.__dataclass_fields__, "step", *SCORES, "state"]


def chosen(rows: Sequence[RunRow], conditions: str) -> list[RunRow]:
    """The rows for which all conditions such as `processor=mpnn_g,folder=*/bfs-*` hold."""
    found = list(rows)
    for condition in filter(None, map(str.strip, conditions.split(","))):
        name, equals, pattern = condition.partition("=")
        if not equals:
            raise UsageError(f"--where needs conditions such as processor=mpnn_g,state=done, got {condition!r}")
        if name not in known_columns():
            raise unknown("column of runs", name, known_columns())
        found = [row for row in found if fnmatchcase(_text(row.value(name)), pattern)]
    return found


def ordered(rows: Sequence[RunRow], column: str) -> list[RunRow]:
    """By a column, upwards; by a score, the best first. What has no value comes last."""
    if column not in known_columns():
        raise unknown("column of runs", column, known_columns())
    valued = [row for row in rows if row.value(column) is not None]
    first = sorted(valued, key=lambda row: _order(row.value(column)), reverse=column in SCORES)
    return first + [row for row in rows if row.value(column) is None]


def _order(value: Any) -> tuple[int, float, str]:
    is_number = isinstance(value, int | float)
    return (0, value, "") if is_number else (1, 0.0, _text(value))


def differing(rows: Sequence[RunRow]) -> list[str]:
    """The settings in which the runs differ, and those that are always shown, in a run's order."""
    readable = [row.settings for row in rows if row.settings]
    return [
        name
        for name in Run.__dataclass_fields__
        if name in ALWAYS or len({_text(settings[name]) for settings in readable}) > 1
    ]


def print_rows(rows: Sequence[RunRow]) -> None:
    """A table of the runs with all settings that differ, and what its scores are."""
    names = [name for name in differing(rows) if name != "steps"]
    columns = ["folder", *(name.replace("dataset", "data set") for name in names), *RESULTS]
    print_table(columns, [_cells(row, names) for row in rows], numbers=("seed", "step", "val", "test"))
    print(MEANINGS)


def _cells(row: RunRow, names: Sequence[str]) -> list[str]:
    if not row.settings:
        return [str(row.folder), *("-" for _ in (*names, *RESULTS[:-1])), row.results["state"]]
    scores = [_percent(row.results[name]) for name in ("val", "test")]
    settings = [_text(row.settings[name]) for name in names]
    reached = f"{row.results['step']}/{row.settings['steps']}"
    return [str(row.folder), *settings, reached, *scores, row.results["state"]]


def _percent(score: float | None) -> str:
    return "-" if score is None else f"{100 * score:.2f}"


def _text(value: Any) -> str:
    if isinstance(value, tuple | list):
        return ",".join(map(str, value))
    return "-" if value is None else str(value)
