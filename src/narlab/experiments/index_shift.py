"""Section 3.2: only the indices move. `narlab reproduce index-shift`.

6 runs, all of them `main`'s: MPNN-G for DFS on L-CLRS with scalar and random scalar index, three seeds; one to two
hours of two cores each at 0.2 to 0.35 s a step (docs/speed.md). The models see the first 16 nodes of 1000 graphs of 64
nodes: once with the indices i/16 that they know from training, once with the i/64 that these nodes have in the whole
graph. Graphs and answers are the same.

The paper: a model that is perfect on 16 nodes fails on them when their indices lie in [0, 0.25]; no numbers.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from narlab import algorithms as benchmark
from narlab import data
from narlab.common.errors import Items, Number, Record
from narlab.data import Dataset
from narlab.evaluation import evaluate
from narlab.evaluation.user_instances import as_dataset
from narlab.experiments.declaring.design import Design
from narlab.experiments.declaring.outcome import Cell, Outcome, Table
from narlab.experiments.declaring.results import Advance, Finished, Results
from narlab.training import Run, load

TITLE = "A DFS model on the first quarter of larger graphs (Section 3.2)"
ALGORITHMS = ("dfs",)
POSITIONS = ("scalar", "random_scalar")
DESIGN = Design(ALGORITHMS, {position: {"processor": "mpnn_g", "position": position} for position in POSITIONS})
FACTOR = 4  # how many times larger the whole graphs are
COUNT, SEED = 1000, 3
OWN, SHIFTED = "i/n", f"i/{FACTOR}n"
ROWS = {
    "validation": "validation graphs",
    OWN: "first n of 4n nodes, indices i/n",
    SHIFTED: "first n of 4n nodes, indices i/4n",
}


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return DESIGN.runs(algorithms, seeds)


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    columns = tuple(f"{position}/{level}" for position in POSITIONS for level in ("node_level", "graph_level"))
    values: dict[tuple[str, str], list[float]] = {(row, column): [] for row in ROWS.values() for column in columns}
    sizes = set()
    for position in POSITIONS:
        for seed in seeds:
            model = results.find(DESIGN.run("dfs", position, seed))
            if model is None:
                continue
            sizes.add(_size(model))
            for name, (node, graph) in scores(results, model).items():
                values[ROWS[name], f"{position}/node_level"].append(node)
                values[ROWS[name], f"{position}/graph_level"].append(graph)
    cells = {key: Cell(tuple(numbers)) for key, numbers in values.items()}
    notes = tuple(f"n is {n}: the models were trained on graphs of {n} nodes" for n in sorted(sizes))
    title = "DFS scores on the same graphs with two sets of indices"
    table = Table("index_shift", title, tuple(ROWS.values()), columns, cells, notes=notes)
    return Outcome("index-shift", results.budget.name, (table,))


def scores(results: Results, model: Finished) -> dict[str, tuple[float, float]]:
    """Scores at node and graph level by row."""
    count = results.budget.graphs(COUNT)
    ask, schema = partial(_ask, model, count), Record(dict.fromkeys((OWN, SHIFTED), Items(Number(0, 100), 2, 2)))
    found = results.analysis(f"index-shift-{count}", [model], ask, graphs=2 * count, schema=schema)
    own = (model.percent("val"), model.percent("val_graph"))
    return {"validation": own, **{name: (node, graph) for name, (node, graph) in found.items()}}


def _ask(model: Finished, count: int, advance: Advance) -> dict[str, list[float]]:
    network = load(model.folder)
    found = {}
    for name, dataset in quarters(_size(model), count).items():
        measured = evaluate(network, dataset, seed=0, progress=advance)
        found[name] = [100 * measured.score, 100 * measured.graph_score]
    return found


def _size(model: Finished) -> int:
    return model.run.split("train").description.n


def quarters(n: int, count: int) -> dict[str, Dataset]:
    """The subgraphs of the first `n` nodes of `count` graphs of four times as many, with both sets of indices."""
    dfs = benchmark.get("dfs")
    whole = data.custom("dfs", n=FACTOR * n, count=count, seed=SEED).inputs
    parts = {name: np.ascontiguousarray(whole[name][:, :n, :n]) for name in ("A", "adj")}
    shifted = whole["pos"][:, :n]  # i/4n
    return {
        OWN: as_dataset(dfs, {"pos": FACTOR * shifted, **parts}),
        SHIFTED: as_dataset(dfs, {"pos": shifted, **parts}),
    }
