"""`narlab runs`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from narlab.cli.commands import OptionalPath, OptionalText, Switch
from narlab.common import say
from narlab.common.errors import UsageError

if TYPE_CHECKING:
    from narlab.training.folder import Folder


@dataclass(frozen=True)
class Runs:
    """List the runs below a folder, with the settings in which they differ and what came of them so far.

    What can't be read is listed with the reason.

    Examples:
      narlab runs
      narlab runs results/short --where algorithm=bfs,processor=mpnn_* --sort test
      narlab runs --where state=unfinished
      narlab runs --sort test --json runs.json
      narlab runs results --convert
    """

    folder: Annotated[Positional[Path], arg(metavar="[FOLDER]")] = Path("runs")
    """Where to look."""
    where: OptionalText = None
    """Only runs with these settings or results, such as algorithm=bfs,seed=42,state=done; * stands for any text."""
    sort: OptionalText = None
    """Order by a setting or a result, such as test (the best first) or steps; default: by folder."""
    json: OptionalPath = None
    """Write all settings and results to this file instead, scores from 0 to 1; - prints them."""
    convert: Switch = False
    """Give folders of sweeps of version 0.1 the names that runs have today."""

    def run(self) -> None:
        from narlab.cli.run_table import RunRow, chosen, ordered, print_rows
        from narlab.common.files import check_target
        from narlab.training.folder import Folder

        if not self.folder.is_dir():
            raise UsageError(f"there is no folder {str(self.folder)!r}; runs are made by narlab train")
        found = [Folder(file.parent) for file in sorted(self.folder.rglob("run.toml"))]
        if not found:
            raise UsageError(f"no runs below {str(self.folder)!r}; runs are made by narlab train")
        if self.json is not None and str(self.json) != "-":
            check_target(self.json)
        if self.convert:
            found = [_converted(each) for each in found]
        rows = chosen([RunRow.of(each.path) for each in found], self.where or "")
        rows = rows if self.sort is None else ordered(rows, self.sort)
        if self.json is not None:
            self._write(json.dumps([row.as_dict() for row in rows], indent=1) + "\n")
        elif rows:
            print_rows(rows)
        else:
            say(f"none of {len(found)} runs below {self.folder} is such a one")

    def _write(self, text: str) -> None:
        from narlab.common.files import write_whole

        if str(self.json) == "-":
            print(text, end="")
        elif self.json is not None:
            say(write_whole(self.json, text.encode()))


def _converted(folder: "Folder") -> "Folder":
    """The folder under its new name; what can't be read or has another name stays as it is."""
    from narlab.training.folder import Folder
    from narlab.training.identity import rename

    try:
        renamed = rename(folder.path, folder.run())
    except (OSError, UsageError) as error:
        say(f"{folder.path} stays as it is: {error}")
        return folder
    if renamed is None:
        return folder
    say(f"{folder.path} -> {renamed.name}")
    return Folder(renamed)


COMMAND = Runs
