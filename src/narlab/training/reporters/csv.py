"""CSV: every evaluation as a line of `metrics.csv` in the run's folder, for spreadsheets and pandas."""

import csv
import io
from dataclasses import dataclass
from typing import Any

from narlab.training.folder import Folder
from narlab.training.reporters import AbstractReporter
from narlab.training.run import ResolvedRun

FILE = "metrics.csv"


@dataclass
class Reporter(AbstractReporter):
    """Writes the whole metrics log each time: an evaluation may bring columns that those before it don't have."""

    def begin(self, run: ResolvedRun, folder: Folder) -> None:
        self._folder = folder
        self._write_all()

    def write(self, line: dict[str, Any]) -> None:
        self._write_all()

    def _write_all(self) -> None:
        lines = self._folder.metrics()
        columns = dict.fromkeys(name for line in lines for name in line)
        text = io.StringIO()
        writer = csv.DictWriter(text, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
        self._folder.write(FILE, text.getvalue().encode())
