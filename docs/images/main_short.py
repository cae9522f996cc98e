"""Draw the table of runs at a tenth of the paper's budget, a point per task: against the paper's numbers, and
validation against test.

python docs/images/main_short.py docs/results.md docs/images
"""

import re
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

from narlab.experiments.declaring.outcome import Plot, Series
from narlab.report.pictures.figures import save
from narlab.report.pictures.plots import figure

SECTION = "## A tenth of the budget"
ROW = re.compile(r"^\| (\w+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) ± ", re.MULTILINE)


class Scores(NamedTuple):
    """Those of one task."""

    val: float
    test: float
    paper: float


def read(page: Path) -> list[Scores]:
    """The rows of the table."""
    _, _, section = page.read_text().partition(SECTION)
    return [Scores(*map(float, numbers)) for _, *numbers in ROW.findall(section)]


def plots(rows: list[Scores]) -> list[Plot]:
    """The two figures."""
    val, test, said = zip(*rows, strict=True)
    tasks = f"{len(rows)} tasks, 2,000 steps"
    ours = ("Our test scores against the paper's, a point per task", "paper (%)", "ours (%)")
    shift = ("In and out of distribution, a point per task", "validation (%)", "test (%)")
    return [
        Plot("agreement", *ours, {tasks: (Series("mpnn_g", said, test),)}, points=True, alike=True),
        Plot("shift", *shift, {tasks: (Series("mpnn_g", val, test),)}, points=True, alike=True),
    ]


if __name__ == "__main__":
    page, folder = map(Path, sys.argv[1:])
    for plot in plots(read(page)):
        save(partial(figure, plot), folder / f"main_short_{plot.name}.png")
