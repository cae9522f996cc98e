"""Print the table of runs at the paper's own budget beside the paper's numbers, and draw their curves.

python docs/images/paper_cells.py docs/images/paper_cells.png
"""

import sys
from pathlib import Path
from statistics import fmean, pstdev

from narlab.experiments.declaring import paper
from narlab.experiments.declaring.outcome import Number, Plot, Series
from narlab.report.pictures.figures import save
from narlab.report.pictures.plots import figure
from narlab.training.folder import Folder

RUNS = Path(__file__).parents[2] / "results/paper"
TABLES = {"val": "main_val_scalar_index", "test": "main_test_random_scalar_index"}
Cells = dict[tuple[str, str], list[Folder]]


def cells() -> Cells:
    """The finished runs of each task and processor, by seed."""
    found: Cells = {}
    for path in sorted(file.parent for file in RUNS.glob("*/result.json")):
        folder = Folder(path)
        run = folder.run().resolved()
        found.setdefault((run.algorithm, run.processor), []).append(folder)
    return found


def row(task: str, processor: str, folders: list[Folder]) -> str:
    """A line of the table: our mean and deviation, the paper's, and the difference in the paper's deviations."""
    ours = {name: [100 * (folder.result() or {})[name] for folder in folders] for name in TABLES}
    said = {name: paper.read(table).get(task, processor) for name, table in TABLES.items()}
    texts = []
    for name in ("test", "val"):
        number = said[name]
        assert number is not None
        assert number.std is not None
        difference = fmean(ours[name]) - number.mean
        apart = f"{difference / number.std:+.1f}" if number.std else "-"
        texts += [_text(Number(fmean(ours[name]), pstdev(ours[name]))), _text(number), f"{difference:+.2f}", apart]
    seeds = ", ".join(str(folder.run().seed) for folder in folders)
    return f"| {task} | {processor} | {seeds} | {' | '.join(texts)} |"


def _text(number: Number) -> str:
    return f"{number.mean:.2f} ± {number.std:.2f}"


def curves(found: Cells) -> Plot:
    """Validation and test scores along training, a panel per cell."""
    panels = {}
    for (task, processor), folders in found.items():
        series = []
        for folder in folders:
            for name, label in (("val", "validation"), ("test", "test")):
                points = [(line["step"], 100 * line[name]) for line in folder.metrics() if name in line]
                steps, scores = zip(*points, strict=True)
                series.append(Series(f"{label}, seed {folder.run().seed}", steps, scores))
        panels[f"{task}, {processor}"] = tuple(series)
    return Plot("paper_cells", "Scores along the paper's 20,000 steps", "training step", "score (%)", panels)


if __name__ == "__main__":
    found = cells()
    for (task, processor), folders in found.items():
        print(row(task, processor, folders))
    save(lambda: figure(curves(found)), sys.argv[1])
