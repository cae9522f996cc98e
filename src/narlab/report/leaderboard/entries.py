"""The runs of a leaderboard: those below some folders that are done and were tested on the official set, row by row."""

import hashlib
import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from narlab.algorithms import CLRS_30, DISTINCT
from narlab.common import counted
from narlab.common.errors import UsageError
from narlab.evaluation import records
from narlab.experiments.declaring.design import elements
from narlab.experiments.declaring.outcome import wilson
from narlab.training import ResolvedRun, cards, pretrained
from narlab.training.folder import Folder
from narlab.training.identity import differences

WEIGHTS = "best.safetensors"
APART = ("algorithm", "seed", "initial_seed", "validate_every", "test_every", "metrics")
"""Settings in which runs of one row may differ; the command of each says them."""


@dataclass(frozen=True)
class Entry:
    """One number of ours: a run that is done, and all that it takes to check it."""

    folder: Path
    run: ResolvedRun
    result: Mapping[str, Any]
    session: Mapping[str, Any]  # the last process that trained it; empty in folders of version 0.1
    evaluations: tuple[Mapping[str, Any], ...] = ()
    card_scores: tuple[Mapping[str, Any], ...] = ()  # of a model that comes with the package

    @property
    def percent(self) -> float:
        return 100 * self.result["test"]

    @cached_property
    def row(self) -> str:
        """The name of its row: the same for all tasks and seeds of one model at one budget."""
        shared = {name: value for name, value in differences(self.run).items() if name not in APART}
        digest = hashlib.sha256(json.dumps(shared, sort_keys=True).encode()).hexdigest()[:6]
        processor = re.sub(r"[^\w+]", "-", self.run.processor)
        return f"{processor}-{self.run.steps}-{digest}"

    @property
    def title(self) -> str:
        """What is not the paper's default about its row's model, data and training."""
        shared = {name: value for name, value in differences(self.run).items() if name not in (*APART, "processor")}
        return ", ".join(f"{name}={_text(value)}" for name, value in shared.items() if name != "steps") or "defaults"

    @property
    def command(self) -> str:
        """What trains it again."""
        words = ["narlab", "train", self.run.algorithm]
        for name, value in differences(self.run).items():
            if name != "algorithm":
                words += [f"--{name.replace('_', '-')}", *([] if value is True else _words(name, value))]
        return shlex.join(words)

    @property
    def code(self) -> str:
        """The commit of the code that trained it, or else narlab's version."""
        commit, version = self.session.get("commit"), self.session.get("narlab")
        return f"commit {commit}" if commit else f"narlab {version}" if version else "narlab 0.1"

    @property
    def protocol(self) -> str | None:
        """A short hash of data, sizes, depth, choice and metric, where the result has one."""
        found = self.result.get("protocol")
        return None if found is None else str(found)

    @property
    def machine(self) -> str:
        session = self.session
        if "cpu" not in session:
            return "not recorded"
        device = "" if session.get("device") == "cpu" else f", {session.get('device')}"
        return f"{session['cpu']}{device}, {counted(int(session.get('threads', 1)), 'thread')}"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the weights."""
        return hashlib.sha256((self.folder / WEIGHTS).read_bytes()).hexdigest()

    @property
    def interval(self) -> tuple[float, float]:
        """95 %: the bootstrap over graphs that `narlab evaluate` kept, or else what the size of the test set leaves."""
        own = self.run.split("test").description
        for record in self.evaluations:
            found = record["description"]
            if all(found.get(name) == getattr(own, name) for name in ("dataset", "split", "n", "count", "seed")):
                low, high = record.get("score_low"), record.get("score_high")
                if record.get("count") == own.count and isinstance(low, float) and isinstance(high, float):
                    return 100 * low, 100 * high
        return wilson(self.percent, elements(self.run, "test"))


@dataclass(frozen=True)
class Rows:
    """Entries by row, those with most tasks first, and what was left out."""

    entries: dict[str, list[Entry]]
    left_out: tuple[str, ...] = ()

    def having(self, *, hints: bool) -> dict[str, list[Entry]]:
        """The rows with hints, or those without."""
        return {row: entries for row, entries in self.entries.items() if entries[0].run.needs_hints is hints}


def gather(folders: Iterable[Path]) -> Rows:
    """All runs below the folders that belong in the leaderboard."""
    found: dict[str, list[Entry]] = {}
    reasons: Counter[str] = Counter()
    seen: set[tuple[str, str, int]] = set()
    for path in _run_folders(folders):
        entry = _entry(path)
        if isinstance(entry, str):
            reasons[entry] += 1
            continue
        which = (entry.row, entry.run.algorithm, entry.run.seed)
        if which in seen:
            reasons["the same row, task and seed again"] += 1
            continue
        seen.add(which)
        found.setdefault(entry.row, []).append(entry)
    order = sorted(found, key=lambda row: (-len({entry.run.algorithm for entry in found[row]}), row))
    rows = {row: sorted(found[row], key=lambda entry: (entry.run.algorithm, entry.run.seed)) for row in order}
    return Rows(rows, tuple(f"{counted(count, 'run')}: {reason}" for reason, count in reasons.items()))


def _run_folders(folders: Iterable[Path]) -> list[Path]:
    found: dict[Path, Path] = {}
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"there is no folder {str(folder)!r}; runs are made by narlab train and narlab reproduce")
        files = sorted(folder.rglob("run.toml"))
        if not files:
            raise UsageError(f"no runs below {str(folder)!r}; they are made by narlab train and narlab reproduce")
        for file in files:
            if not any(part.startswith(".") for part in file.relative_to(folder).parts):
                found.setdefault(file.parent.resolve(), file.parent)
    return list(found.values())


def _entry(path: Path) -> Entry | str:
    """The run in a folder, or why it is left out."""
    folder = Folder(path)
    try:
        run, result = folder.run(), folder.result()
        if result is None:
            return "not done"
        if run.split("test").description.stream != "official":
            return "not tested on the official set"
    except UsageError as error:
        return f"{path}: {error}"
    if run.algorithm not in (CLRS_30 if run.needs_hints else DISTINCT):
        return "a task that another of the 24 stands for, or none of the benchmark's"
    if not (path / WEIGHTS).is_file():
        return "no weights to check it with"
    complaints: list[str] = []
    sessions, evaluations = folder.sessions(), records.kept(path, complaints.append)
    return Entry(path, run, result, sessions[-1] if sessions else {}, tuple(evaluations), _card_scores(path))


def _card_scores(path: Path) -> tuple[Mapping[str, Any], ...]:
    """The scores on a card of the package's own; one in another folder is somebody's word."""
    if not path.resolve().is_relative_to(pretrained.FOLDER.resolve()):
        return ()
    return tuple(cards.read(f"{path.name}@{path.parent.name}")["scores"])


def _text(value: Any) -> str:
    return ",".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


def _words(name: str, value: Any) -> list[str]:
    """A setting's value as the command line takes it."""
    return [str(part) for part in value] if name == "hint_names" else [_text(value)]
