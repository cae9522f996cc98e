"""Draw the pictures of the pages docs/ideas, from narlab's own data and a model that comes with it.

python docs/images/ideas.py docs/images
"""

import sys
from pathlib import Path

import numpy as np

import narlab
from narlab.experiments.declaring.outcome import Drawing, GraphPanel, Plot, Series
from narlab.models import positions
from narlab.report.pictures import graph_drawings, plots
from narlab.report.pictures.figures import save

FAMILIES = ("er", "er_log", "regular:k=4", "tree")
SIZES = (8, 16, 32, 64)
DEPTHS = (0.125, 0.25, 0.5, 1, 2, 4)  # steps, as a multiple of n


def hints() -> Drawing:
    """BFS step by step: what is reached so far, and the pointers so far."""
    bfs = narlab.algorithms.get("bfs")
    inputs = bfs.sample(6, 1)
    done = bfs.execute(inputs)
    edges = tuple((int(u), int(v)) for u, v in np.argwhere(np.triu(inputs["A"][0], 1)))
    panels = []
    for step, (reached, parent) in enumerate(zip(done.hints["reach_h"][0], done.hints["pi_h"][0], strict=True)):
        pointers = tuple((v, int(u)) for v, u in enumerate(parent) if u != v)
        panels.append(GraphPanel(f"row {step}", 6, edges, groups=tuple(map(int, 1 - reached)), marked=pointers))
    return Drawing("hints", "The hints of a breadth-first search: reach_h (discs) and pi_h (bold)", tuple(panels))


def gaps() -> Plot:
    """How far apart neighbouring nodes are, in training and in the test, in two encodings of positions."""
    when, shares = {"n=16 in training": (16, True), "n=64 in the test": (64, False)}, np.linspace(0, 1, 41)

    def series(name: str, label: str) -> Series:
        n, training = when[label]
        batch = narlab.models.make_batch(narlab.data.custom("quicksort", n=n, count=64))
        values = positions.get(name)().values(batch, training=training).numpy()
        return Series(label, tuple(100 * shares), tuple(np.quantile(np.diff(np.sort(values, 1)), shares)))

    panels = {name: tuple(series(name, label) for label in when) for name in ("scalar", "random_scalar")}
    return Plot("gaps", "How far apart neighbours are", "neighbours that are nearer, %", "difference", panels)


def degrees() -> Plot:
    """The mean number of neighbours against the size, by family."""
    series = []
    for family in FAMILIES:
        sets = [narlab.data.custom("bfs", n=n, count=200, graphs=family) for n in SIZES]
        means = [np.triu(each.inputs["A"], 1).sum((1, 2)).mean() * 2 / n for each, n in zip(sets, SIZES, strict=True)]
        series.append(Series(family, SIZES, tuple(map(float, means))))
    title = "A larger graph of a family is also another kind of graph"
    return Plot("degrees", title, "nodes n", "mean degree", {"": tuple(series)})


def depths() -> Plot:
    """The score of a trained model of depth-first search against the number of its steps."""
    model, series = narlab.pretrained("dfs"), []
    for n in (16, 32):
        data = narlab.data.custom("dfs", n=n, count=20, seed=7)
        steps = [max(1, round(times * n)) for times in DEPTHS]
        found = [100 * narlab.evaluation.evaluate(model, data, depth=each)["score"] for each in steps]
        series.append(Series(f"n={n}", DEPTHS, tuple(found)))
    return Plot("depths", "dfs@triangle, asked after T steps", "T / n", "score, %", {"": tuple(series)})


def main(folder: Path) -> None:
    save(lambda: graph_drawings.figure(hints()), folder / "ideas_hints.svg")
    for plot in (gaps(), degrees(), depths()):
        save(lambda plot=plot: plots.figure(plot), folder / f"ideas_{plot.name}.svg")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
