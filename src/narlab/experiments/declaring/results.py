"""Results of runs: those of a sweep's folder by what was run, and all below any folder as a data frame."""

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from narlab.common.errors import Kind, Plain, UsageError
from narlab.common.files import inside, read_json, write_whole
from narlab.experiments.declaring import layout
from narlab.experiments.declaring.budget import Budget
from narlab.training import ResolvedRun, Run
from narlab.training.folder import Folder

if TYPE_CHECKING:
    import pandas

T = TypeVar("T")
Advance = Callable[[int], None]  # is told how many graphs more are done
Progress = Callable[[str, int, int], None]  # is told an analysis' name, and how many of how many graphs are done
OPTIONAL = ("samples", "test_samples", "n", "test_n", "initial_seed")  # integers that a run may do without
NUMERICS = ("torch", "numba", "numpy", "cpu", "device")
SCORES = ("val", "val_graph", "test", "test_graph")


@dataclass(frozen=True)
class Finished:
    """A run that is done: the run as it was trained, its folder, and what its result.json says."""

    run: ResolvedRun
    folder: Path
    result: dict[str, Any]

    def percent(self, score: str) -> float:
        """One of the chosen model's scores: val, val_graph, test or test_graph."""
        if score not in self.result:
            raise UsageError(
                f"{str(self.folder / 'result.json')!r} has no {score!r}; remove it and train the run again"
            )
        return 100 * self.result[score]

    @property
    def numerics(self) -> str:
        """What its digits hang on beside the run itself: versions, processor and device; "unknown" in older folders."""
        found = [" ".join(str(entry.get(fact, "?")) for fact in NUMERICS) for entry in Folder(self.folder).sessions()]
        return ", then ".join(dict.fromkeys(found)) or "unknown"

    @cached_property
    def metrics(self) -> list[dict[str, Any]]:
        """A dict per evaluation along training."""
        return Folder(self.folder).metrics()


@dataclass(frozen=True)
class Results:
    """The runs of one budget in the folder `root` of a sweep; `progress` is told of analyses that are computed."""

    root: Path
    budget: Budget
    progress: Progress = lambda name, done, graphs: None
    _trained: dict[Run, ResolvedRun] = field(default_factory=dict, repr=False, compare=False)
    _folders: dict[Run, Path] = field(default_factory=dict, repr=False, compare=False)

    def find(self, run: Run) -> Finished | None:
        """What came of a run, given at the paper's settings; `None` while it is not done."""
        if run not in self._trained:  # several tables ask for it
            self._trained[run] = self.budget.of(run).resolved()
        trained = self._trained[run]
        folder = self._folders.get(run) or layout.run_folder(self.root, self.budget.name, trained)
        result = readable_result(folder)
        if result is None:
            return None
        self._folders[run] = folder  # with a result it stays where it is
        return Finished(trained, folder, result)

    def analysis(
        self,
        name: str,
        models: Sequence[Finished],
        compute: Callable[[Advance], T],
        *,
        graphs: int,
        schema: Kind = Plain(),  # noqa: B008 (a constant)
    ) -> T:
        """What `compute` makes of some models, in JSON's types; it is computed once and kept in the sweep's folder.

        What is kept is as `schema` says, or it is made again. `compute` looks at `graphs` graphs, and says as it goes
        how many more it has done.
        The file's name tells the models and their results apart, so that another training has another analysis.
        """
        told = [[model.run.to_toml(), model.result] for model in models]
        digest = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]
        path = inside(self.root, self.budget.name, "analyses") / f"{name}-{digest}.json"
        with suppress(OSError, UsageError):  # a file that was damaged is made again
            return read_json(path, schema)
        made = compute(self._advance(name, graphs))
        write_whole(path, (json.dumps(made) + "\n").encode())
        return made

    def _advance(self, name: str, graphs: int) -> Advance:
        done = 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            self.progress(name, done, graphs)

        advance(0)
        return advance


def frame(folder: str | os.PathLike) -> "pandas.DataFrame":
    """All runs below `folder`, a row each: settings, the chosen model's scores (1 is all), and how far it has come.

    A run that is not done has no scores yet; its `step` and `seconds` are those of its last evaluation.
    """
    import pandas  # here, because it takes long to load

    root = Path(folder)
    if not root.is_dir():
        raise UsageError(f"there is no folder {str(root)!r}; give one that holds runs")
    columns = ["folder", *(field.name for field in fields(Run)), *SCORES, "step", "seconds", "done"]
    rows = [row for path in sorted(root.rglob("run.toml")) if (row := _readable_row(root, path.parent)) is not None]
    return pandas.DataFrame(rows, columns=columns).astype(dict.fromkeys(OPTIONAL, "Int64"))


def readable_result(folder: Path) -> dict[str, Any] | None:
    """What a run came to; one that can't be read is named in a warning and counts as not there."""
    try:
        return Folder(folder).result()
    except UsageError as error:
        warnings.warn(f"left out: {error}", stacklevel=2)
        return None


def _readable_row(root: Path, path: Path) -> dict[str, Any] | None:
    try:
        return _row(root, path)
    except UsageError as error:
        warnings.warn(f"left out: {error}", stacklevel=2)
        return None


def _row(root: Path, path: Path) -> dict[str, Any]:
    folder = Folder(path)
    result = folder.result()
    last = {} if result else folder.last_metrics()
    return {
        "folder": path.relative_to(root).as_posix(),
        **folder.run_as_written().settings(),
        **dict.fromkeys(SCORES, float("nan")),
        **(result or {name: last.get(name, 0) for name in ("step", "seconds")}),
        "done": result is not None,
    }
