"""Draw beyond.png from the models that come with the package: the paper's best and the triangle model on every task.

python docs/images/beyond.py docs/images/beyond.png
"""

import sys

from matplotlib.figure import Figure

from narlab.experiments.beyond import COLUMN, papers_best
from narlab.report.pictures.figures import save
from narlab.training import pretrained
from narlab.training.folder import Folder


def scores() -> list[tuple[str, float, float]]:
    """Task, the paper's best and ours in percent, the tasks with the largest gain last."""
    said, found = papers_best(), []
    for name in pretrained.names():
        task, _, processor = name.partition("@")
        number, result = said.get(task, COLUMN), Folder(pretrained.folder(name)).result()
        if processor == pretrained.DEFAULT and number is not None and result is not None:
            found.append((task, number.mean, 100 * result["test"]))
    return sorted(found, key=lambda row: row[2] - row[1])


def draw() -> Figure:
    rows = scores()
    figure = Figure(figsize=(8, 0.27 * len(rows) + 1), layout="constrained")
    axes = figure.subplots()
    for k, (_, theirs, ours) in enumerate(rows):
        axes.plot((theirs, ours), (k, k), color="0.8", linewidth=2, zorder=1)
    places = range(len(rows))
    axes.scatter([row[1] for row in rows], places, marker="o", color="#d55e00", label="the paper's best", zorder=2)
    axes.scatter([row[2] for row in rows], places, marker="D", color="#0072b2", label="triangle, ladder", zorder=3)
    axes.set_yticks(places, [row[0] for row in rows])
    axes.set(xlim=(0, 101), xlabel="score at 64 nodes, trained on at most 16, no hints (%)")
    axes.grid(axis="x", color="0.9")
    axes.legend(loc="lower left")
    return figure


if __name__ == "__main__":
    save(draw, sys.argv[1])
