"""`narlab report`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from narlab.cli.commands import ListOfNames, OptionalPath, Switch, names_in
from narlab.common import say
from narlab.common.errors import UsageError


@dataclass(frozen=True)
class Report:
    """Write one HTML file with every table, figure and run that a folder holds; it opens without a network.

    The folder is that of narlab reproduce, or any with runs below it, or one run's own. With --leaderboard, write the
    leaderboard of all runs below the folders instead; with --baselines, say what chance and trivial rules are worth.

    Examples:
      narlab report results
      narlab report runs --out ~/runs.html
      narlab report --leaderboard results/paper results/short
      narlab report --baselines --algorithms bfs,dfs
    """

    folders: Annotated[Positional[tuple[Path, ...]], arg(metavar="FOLDER")] = ()
    """Where to look."""
    out: OptionalPath = None
    """The file; default: report.html in the folder, or docs/leaderboard.md."""
    leaderboard: Switch = False
    """Write the leaderboard, in Markdown and JSON."""
    baselines: Switch = False
    """Print what chance and trivial rules score on the official test sets, or write it to --out, a Markdown file."""
    algorithms: ListOfNames = None
    """With --baselines or --leaderboard: baselines of these tasks only; default: all 24."""

    def run(self) -> None:
        if self.leaderboard and self.baselines:
            raise UsageError("--leaderboard has the baselines already: leave --baselines out")
        if self.algorithms is not None and not (self.leaderboard or self.baselines):
            raise UsageError("--algorithms is for --baselines and --leaderboard: add one of them, or leave it out")
        if self.leaderboard:
            return self._leaderboard()
        return self._baselines() if self.baselines else self._page()

    def _page(self) -> None:
        from narlab.report.page import write_page  # here, because PyTorch takes long to load

        if not self.folders:
            raise UsageError("missing: FOLDER; see narlab report --help")
        folder, *others = self.folders
        if others:
            raise UsageError(f"a report is of one folder, got {len(self.folders)}; give the one that holds them")
        path = write_page(folder, self.out or folder / "report.html")
        say(f"{path}: {path.stat().st_size / 1e6:.2f} MB; open it in a browser")

    def _leaderboard(self) -> None:
        from narlab.report import leaderboard

        for path in leaderboard.write(self.folders, self.out or leaderboard.DEFAULT, self._tasks()):
            say(path)

    def _baselines(self) -> None:
        from narlab.common.files import check_target, write_whole
        from narlab.report.baselines import tables
        from narlab.report.table_formats import as_markdown, as_text

        if self.folders:
            raise UsageError(f"--baselines needs no folder, got {str(self.folders[0])!r}; leave it out")
        target = None if self.out is None else check_target(self.out, (".md",))
        made = tables(self._tasks())
        if target is not None:
            say(write_whole(target, "\n".join(map(as_markdown, made)).encode()))
        else:
            print("\n".join(map(as_text, made)), end="")

    def _tasks(self) -> tuple[str, ...]:
        from narlab.algorithms import DISTINCT
        from narlab.common.errors import unknown

        asked = names_in("--algorithms", self.algorithms)
        for task in asked:
            if task not in DISTINCT:
                raise unknown("task", task, DISTINCT)
        return asked or tuple(DISTINCT)


COMMAND = Report
