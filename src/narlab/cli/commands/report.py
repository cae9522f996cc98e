"""`narlab report`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from narlab.cli.options import OptionalPath


@dataclass(frozen=True)
class Report:
    """Write one HTML file with every table, figure and run that a folder holds; it opens without a network.

    The folder is that of narlab reproduce, or any with runs below it, or one run's own.

    Examples:
      narlab report results
      narlab report runs --out ~/runs.html
      narlab report runs/bfs-l_clrs-mpnn_g-42 --out bfs.html
    """

    folder: Annotated[Positional[Path], arg(metavar="FOLDER")]
    """Where to look."""
    out: OptionalPath = None
    """The file; default: report.html in the folder."""

    def run(self) -> None:
        from narlab.report.page import write_page  # here, because PyTorch takes long to load

        path = write_page(self.folder, self.out or self.folder / "report.html")
        print(f"{path}: {path.stat().st_size / 1e6:.2f} MB; open it in a browser")


COMMAND = Report
