"""`narlab runs`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.markup import escape
from tyro.conf import Positional, arg

from narlab.cli.commands import Switch
from narlab.cli.terminal import print_table
from narlab.common.errors import UsageError

if TYPE_CHECKING:
    from narlab.training.folder import Folder


@dataclass(frozen=True)
class Runs:
    """List the runs below a folder, with what came out of them so far; what can't be read is listed with the reason.

    Examples:
      narlab runs
      narlab runs results/short
      narlab runs results --convert
    """

    folder: Annotated[Positional[Path], arg(metavar="[FOLDER]")] = Path("runs")
    """Where to look."""
    convert: Switch = False
    """Give folders of sweeps of version 0.1 the names that runs have today."""

    def run(self) -> None:
        from narlab.training.folder import Folder

        if not self.folder.is_dir():
            raise UsageError(f"there is no folder {str(self.folder)!r}; runs are made by narlab train")
        found = [Folder(file.parent) for file in sorted(self.folder.rglob("run.toml"))]
        if not found:
            raise UsageError(f"no runs below {str(self.folder)!r}; runs are made by narlab train")
        if self.convert:
            found = [_converted(each) for each in found]
        columns = ["folder", "algorithm", "data set", "processor", "seed", "step", "val", "test", "state"]
        print_table(columns, [_row(each) for each in found], numbers=("seed", "step", "val", "test"))


def _converted(folder: "Folder") -> "Folder":
    """The folder under its new name; what can't be read or has another name stays as it is."""
    from narlab.training.folder import Folder
    from narlab.training.identity import rename

    try:
        renamed = rename(folder.path, folder.run())
    except (OSError, UsageError) as error:
        print(f"{folder.path} stays as it is: {error}")
        return folder
    if renamed is None:
        return folder
    print(f"{folder.path} -> {renamed.name}")
    return Folder(renamed)


def _row(folder: "Folder") -> list[str]:
    try:
        return _readable_row(folder)
    except (OSError, TypeError, ValueError) as error:
        return [str(folder.path), *"-------", f"unreadable: {escape(str(error))}"]


def _readable_row(folder: "Folder") -> list[str]:
    run, result = folder.run_as_written(), folder.result()
    metrics = folder.metrics() if result is None else [folder.last_metrics()]
    step = metrics[-1].get("step", 0) if metrics else 0
    tests = [line["test"] for line in metrics if "test" in line]
    val = result["val"] if result else max((line["val"] for line in metrics if "val" in line), default=None)
    test = result["test"] if result else tests[-1] if tests else None
    scores = [f"{100 * value:.2f}" if value is not None else "-" for value in (val, test)]
    what = [str(folder.path), run.algorithm, run.dataset or "-", run.processor or "-", str(run.seed)]
    return [*what, f"{step}/{run.steps}", *scores, "done" if result else "unfinished"]


COMMAND = Runs
