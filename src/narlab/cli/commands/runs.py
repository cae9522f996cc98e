"""`narlab runs`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from narlab.cli.tables import print_table


@dataclass(frozen=True)
class Runs:
    """List the runs below a folder, with what came out of them so far.

    Examples:
      narlab runs
      narlab runs experiments/main
    """

    folder: Annotated[Positional[Path], arg(metavar="[FOLDER]")] = Path("runs")
    """Where to look."""

    def run(self) -> None:
        from narlab.training.folder import Folder

        if not self.folder.is_dir():
            raise ValueError(f"there is no folder {str(self.folder)!r}; runs are made by narlab train")
        found = [Folder(file.parent) for file in sorted(self.folder.rglob("run.toml"))]
        if not found:
            raise ValueError(f"no runs below {str(self.folder)!r}; runs are made by narlab train")
        columns = ["folder", "algorithm", "data set", "processor", "seed", "step", "val", "test", "state"]
        print_table(columns, [_row(each) for each in found], numbers=("seed", "step", "val", "test"))


def _row(folder: "object") -> list[str]:
    from narlab.training.folder import Folder

    assert isinstance(folder, Folder)
    run, result, metrics = folder.run(), folder.result(), folder.metrics()
    step = metrics[-1]["step"] if metrics else 0
    tests = [line["test"] for line in metrics if "test" in line]
    val = result["val"] if result else max((line["val"] for line in metrics), default=None)
    test = result["test"] if result else tests[-1] if tests else None
    scores = [f"{100 * value:.2f}" if value is not None else "-" for value in (val, test)]
    what = [str(folder.path), run.algorithm, run.dataset, run.processor, str(run.seed)]
    return [*what, f"{step}/{run.steps}", *scores, "done" if result else "unfinished"]
