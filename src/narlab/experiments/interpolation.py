"""Figure 3 and its appendix: between the weights of three models of one task. `narlab reproduce interpolation`.

12 runs: MPNN-G on L-CLRS with the scalar index, three seeds, four tasks. The three models A, B and C are needed at any
budget, so three seeds are trained even if fewer are asked for. All begin with the weights of A, which is a run of
`main`; the seeds of B and C decide the order of samples and the random features alone (`initial_seed`). Each
pair is joined by a straight line of weights, and eleven points of it are scored on validation (ID) and test (OOD): some
minutes per task, kept in the sweep's folder.

The paper, on matrix_chain_order: all models have 99.5 % ID, some about 60 % and some about 80 % OOD; there are barriers
between them, and ID and OOD do not go together along the way.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import torch

from narlab.common.errors import Items, Number, Record
from narlab.evaluation import evaluate
from narlab.experiments.declaring.budget import SEEDS
from narlab.experiments.declaring.outcome import Cell, Outcome, Plot, Series, Table
from narlab.experiments.declaring.results import Advance, Finished, Results
from narlab.training import Run, load

TITLE = "Interpolation between three models of a task (Figure 3 and appendix)"
ALGORITHMS = ("matrix_chain_order", "task_scheduling", "optimal_bst", "mst_kruskal")
PAIRS = ((1, 0), (2, 0), (2, 1))  # B to A, C to A, C to B
MODELS = "ABC"
POINTS = 11
SPLITS = {"ID": "val", "OOD": "test"}

Along = dict[str, list[float]]


def three(seeds: Sequence[int]) -> tuple[int, ...]:
    """The seeds of the three models: those asked for, filled up with the paper's."""
    return tuple(dict.fromkeys((*seeds, *SEEDS)))[: len(MODELS)]


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return [run for task in algorithms for run in models_of(task, three(seeds))]


def models_of(task: str, seeds: Sequence[int]) -> list[Run]:
    """The runs of A, B and C, which begin with the weights of A."""
    first = Run(task, processor="mpnn_g", position="scalar", seed=seeds[0])
    return [first, *(replace(first, seed=seed, initial_seed=first.seed) for seed in seeds[1:])]


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    paths = {task: _paths(results, task, three(seeds)) for task in algorithms}
    told = ", ".join(f"{name} has seed {seed}" for name, seed in zip(MODELS, three(seeds), strict=True))
    names = f"{told}; all begin with the same weights"
    plots = tuple(_plot(task, found, names) for task, found in paths.items())
    return Outcome("interpolation", results.budget.name, (_barriers(paths, names),), plots)


def _paths(results: Results, task: str, seeds: Sequence[int]) -> dict[str, Along]:
    """The scores along each pair whose models are both there, by a title such as `B to A`."""
    models = [results.find(run) for run in models_of(task, seeds)]
    found = {}
    for start, end in PAIRS:
        one, two = models[start], models[end]
        if one is not None and two is not None:
            title = f"{MODELS[start]} to {MODELS[end]}"
            found[title] = _path(results, one, two)
    return found


def _path(results: Results, one: Finished, two: Finished) -> Along:
    graphs = POINTS * sum(len(one.run.split(split)) for split in SPLITS.values())
    schema = Record(dict.fromkeys(SPLITS, Items(Number(0, 100), POINTS, POINTS)))
    name, compute = f"interpolation-{one.run.algorithm}", partial(between, one, two)
    return results.analysis(name, [one, two], compute, graphs=graphs, schema=schema)


def between(one: Finished, two: Finished, advance: Advance) -> Along:
    """ID and OOD scores in percent at `POINTS` points from the weights of `one` to those of `two`."""
    model = load(one.folder)
    first = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    last = load(two.folder).state_dict()
    data = {kind: one.run.split(split) for kind, split in SPLITS.items()}
    scores: Along = {kind: [] for kind in SPLITS}
    for coefficient in coefficients():
        model.load_state_dict({name: torch.lerp(first[name], last[name], coefficient) for name in first})
        for kind in SPLITS:
            scores[kind].append(100 * evaluate(model, data[kind], seed=0, progress=advance).score)
    return scores


def coefficients() -> tuple[float, ...]:
    return tuple(k / (POINTS - 1) for k in range(POINTS))


def _plot(task: str, found: dict[str, Along], names: str) -> Plot:
    panels = {
        title: tuple(Series(kind, coefficients(), tuple(scores)) for kind, scores in path.items())
        for title, path in found.items()
    }
    notes = (names,) if panels else ("no two models are trained yet",)
    return Plot(task, f"Interpolated weights, {task}", "coefficient", "accuracy (%)", panels, notes=notes)


def _barriers(paths: dict[str, dict[str, Along]], names: str) -> Table:
    """How far the scores fall below the straight line between the two ends."""
    titles = [f"{MODELS[start]} to {MODELS[end]}" for start, end in PAIRS]
    rows = tuple(f"{task}, {title}" for task in paths for title in titles)
    columns = tuple(f"{kind} barrier" for kind in SPLITS)
    cells = {(row, column): Cell() for row in rows for column in columns}
    for task, found in paths.items():
        for title, path in found.items():
            for kind, scores in path.items():
                cells[f"{task}, {title}", f"{kind} barrier"] = Cell((barrier(scores),))
    title = "Barriers: the deepest fall below the line between both models' accuracies"
    return Table("barriers", title, rows, columns, cells, notes=(names,))


def barrier(scores: Sequence[float]) -> float:
    """The deepest fall of `scores` below the straight line from the first to the last of them."""
    line = [scores[0] + x * (scores[-1] - scores[0]) for x in coefficients()]
    return max(expected - score for expected, score in zip(line, scores, strict=True))
