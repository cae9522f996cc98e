"""Test against validation along the training of models at the paper's own budget (its Figure 2a), a panel per task and
processor; prints correlation and slope.

python docs/images/paper_line.py docs/images/paper_line.png
"""

import sys
from pathlib import Path

import numpy as np

from narlab.experiments.declaring.outcome import Plot, Series
from narlab.report.pictures.figures import save
from narlab.report.pictures.plots import figure
from narlab.training.folder import Folder

RUNS = Path(__file__).parents[2] / "results/paper"


def line() -> Plot:
    """The scores wherever a run was asked for both."""
    panels: dict[str, tuple[Series, ...]] = {}
    print("| task | processor | seed | points | correlation | slope | lowest and highest test |")
    print("|---|---|---|---:|---:|---:|---:|")
    for path in sorted(file.parent for file in RUNS.glob("*/result.json")):
        run, metrics = Folder(path).run().resolved(), Folder(path).metrics()
        points = [(100 * each["val"], 100 * each["test"]) for each in metrics if {"val", "test"} <= each.keys()]
        val, test = map(np.array, zip(*points, strict=True))
        correlation = np.corrcoef(val, test)[0, 1]
        slope = correlation * test.std() / val.std()
        told = f"{len(val)} | {correlation:.2f} | {slope:.1f} | {test.min():.2f}, {test.max():.2f}"
        print(f"| {run.algorithm} | {run.processor} | {run.seed} | {told} |")
        title = f"{run.algorithm}, {run.processor}"
        panels[title] = (*panels.get(title, ()), Series(f"seed {run.seed}", tuple(val), tuple(test)))
    title = "OOD against ID accuracy along the paper's 20,000 steps"
    return Plot("paper_line", title, "ID accuracy (%)", "OOD accuracy (%)", panels, points=True)


if __name__ == "__main__":
    save(lambda: figure(line()), sys.argv[1])
