"""The paper's analyses of models that were trained at its own budget: the line through OOD against ID accuracy along
training (Figure 2a), and the way between the weights of three models (Figure 3). Prints tables and draws both; prints,
too, what a DFS model says of the first quarter of larger graphs (Section 3.2).

python docs/images/paper_analyses.py docs/images/paper_line.png docs/images/paper_interpolation.png
"""

import sys
from pathlib import Path

import numpy as np

from narlab.evaluation import evaluate
from narlab.experiments.declaring.outcome import Plot, Series
from narlab.experiments.declaring.results import Finished
from narlab.experiments.index_shift import COUNT, quarters
from narlab.experiments.interpolation import MODELS, PAIRS, barrier, between, coefficients
from narlab.report.pictures.figures import save
from narlab.report.pictures.plots import figure
from narlab.training import load
from narlab.training.folder import Folder

RESULTS = Path(__file__).parents[2] / "results"
DFS = "index_shift/dfs-scalar-42"
TASK = "segments_intersect"
THREE = (
    "paper/segments_intersect-mpnn_g-42",
    "interpolation/segments_intersect-43-from-42",
    "interpolation/segments_intersect-44-from-42",
)


def line() -> Plot:
    """Test against validation wherever a run was asked for both, a panel per cell; prints correlation and slope."""
    panels: dict[str, tuple[Series, ...]] = {}
    print("| cell | seed | points | correlation | slope | lowest and highest test |\n|---|---|---:|---:|---:|---:|")
    for path in sorted(file.parent for file in (RESULTS / "paper").glob("*/result.json")):
        run, metrics = Folder(path).run().resolved(), Folder(path).metrics()
        points = [(100 * each["val"], 100 * each["test"]) for each in metrics if {"val", "test"} <= each.keys()]
        val, test = map(np.array, zip(*points, strict=True))
        correlation = np.corrcoef(val, test)[0, 1]
        slope = correlation * test.std() / val.std()
        told = f"{len(val)} | {correlation:.2f} | {slope:.1f} | {test.min():.2f}, {test.max():.2f}"
        print(f"| {run.algorithm}, {run.processor} | {run.seed} | {told} |")
        title = f"{run.algorithm}, {run.processor}"
        panels[title] = (*panels.get(title, ()), Series(f"seed {run.seed}", tuple(val), tuple(test)))
    title = "OOD against ID accuracy along the paper's 20,000 steps"
    return Plot("paper_line", title, "ID accuracy (%)", "OOD accuracy (%)", panels, points=True)


def interpolation() -> Plot:
    """ID and OOD accuracy along the straight line between two models' weights; prints how deep it falls."""
    models = [_finished(RESULTS / name) for name in THREE]
    panels = {}
    print("\n| from, to | ID at the ends | OOD at the ends | ID barrier | OOD barrier |\n|---|---:|---:|---:|---:|")
    for start, end in PAIRS:
        along = between(models[start], models[end], lambda count: None)
        panels[f"{MODELS[start]} to {MODELS[end]}"] = tuple(
            Series(kind, coefficients(), tuple(scores)) for kind, scores in along.items()
        )
        ends = (f"{scores[0]:.2f}, {scores[-1]:.2f}" for scores in along.values())
        falls = (f"{barrier(scores):.2f}" for scores in along.values())
        print(f"| {MODELS[start]}, {MODELS[end]} | {' | '.join((*ends, *falls))} |")
    return Plot("paper_interpolation", f"Interpolated weights, {TASK}", "coefficient", "accuracy (%)", panels)


def shift() -> None:
    """Print the scores of a DFS model on validation graphs, and on the same graphs with two sets of indices."""
    model = _finished(RESULTS / DFS)
    print("\n| graphs of 16 nodes | score | graphs right |\n|---|---:|---:|")
    print(f"| validation | {model.percent('val'):.2f} | {model.percent('val_graph'):.2f} |")
    for indices, graphs in quarters(16, COUNT).items():
        found = evaluate(load(model.folder), graphs, seed=0)
        print(f"| first 16 of 64 nodes, {indices} | {100 * found.score:.2f} | {100 * found.graph_score:.2f} |")


def _finished(path: Path) -> Finished:
    folder = Folder(path)
    result = folder.result()
    assert result is not None
    return Finished(folder.run().resolved(), path, result)


if __name__ == "__main__":
    made = (line(), interpolation())
    for plot, path in zip(made, sys.argv[1:], strict=True):
        save(lambda plot=plot: figure(plot), path)
    shift()
