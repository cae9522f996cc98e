"""Draw scores against the number of nodes: the models that come with the package, and the paper's at its own budget.

python docs/images/beyond_sizes.py docs/images/beyond_sizes.png
"""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from narlab.evaluation import records
from narlab.experiments.beyond import by_kind
from narlab.experiments.declaring.outcome import Plot, Series
from narlab.report.pictures.figures import save
from narlab.report.pictures.plots import figure
from narlab.training import cards, pretrained
from narlab.training.folder import Folder

PAPERS = Path(__file__).parents[2] / "results/paper"
SEED = 42


def curve(task: str, rows: Iterable[Mapping[str, Any]]) -> Series:
    """The scores of the benchmark's own distribution, by size."""
    points = sorted((row["n"], 100 * row["score"]) for row in rows if row["graphs"] is None)
    sizes, scores = zip(*points, strict=True)
    return Series(task, sizes, scores)


def panels() -> dict[str, tuple[Series, ...]]:
    """Triangle on tasks of each kind, then the paper's MPNN-G and triangle on those tasks that both were trained on."""
    ours = {}
    for name in pretrained.names():
        task, _, processor = name.partition("@")
        rows = cards.read(name)["scores"]
        if processor == pretrained.DEFAULT and len({row["n"] for row in rows}) > 1:
            ours[task] = curve(task, rows)
    papers = {
        task: curve(task, rows)
        for path in sorted(PAPERS.glob(f"*-mpnn_g-{SEED}"))
        if (rows := [row for row in records.kept(path, print) if row["data"] == "custom"])
        and (task := Folder(path).run().algorithm) in ours
    }
    both = {
        "the paper's MPNN-G, 20,000 steps": tuple(papers.values()),
        "triangle, the same tasks": tuple(ours[task] for task in papers),
    }
    return {f"triangle, {kind}": group for kind, group in by_kind(list(ours.values())).items()} | both


if __name__ == "__main__":
    title = "Scores against the number of nodes, trained on at most 16"
    plot = Plot("beyond_sizes", title, "nodes", "score (%)", panels())
    save(lambda: figure(plot), sys.argv[1])
