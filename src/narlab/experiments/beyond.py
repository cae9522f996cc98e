"""Beyond the paper: the triangle model, trained by the ladder, on the 24 distinct tasks. `narlab reproduce beyond`.

72 runs: pair states, relations as inputs and the readout of pairs, recipe `ladder`, three seeds; 2,000 steps of 0.1 s
of one core each (docs/beyond.md), the large test sets of five tasks some minutes more. Model and depth are chosen on
the ladder of 16, 24 and 32 nodes, never on the test's 64. Then each model is asked about larger graphs, at other
depths, about the pairs of two communities and about shifted indices; that takes as long as the training, and is kept.

The paper's best means without hints: 74.33 over the 24 tasks, 68.89 weighted to the 30 algorithms of the benchmark.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import fmean

from narlab import algorithms, data
from narlab.algorithms import DISTINCT
from narlab.common import errors
from narlab.data.datasets.clrs import STRING_MATCHERS
from narlab.evaluation import evaluate
from narlab.evaluation.metrics.pairs import PairOutcomes
from narlab.experiments import bridges, index_shift
from narlab.experiments.declaring import paper
from narlab.experiments.declaring.design import Design
from narlab.experiments.declaring.outcome import Cell, Number, Outcome, Plot, Series, Table
from narlab.experiments.declaring.paper import Numbers
from narlab.experiments.declaring.results import Advance, Finished, Results
from narlab.models import depth
from narlab.training import Run, load

TITLE = "Beyond the paper: the triangle model and the ladder"
ALGORITHMS = tuple(DISTINCT)
COLUMN = "triangle"
DESIGN = Design(ALGORITHMS, {COLUMN: {"recipe": "ladder"}})
MEANS = {"mean": None, "weighted_mean": DISTINCT}
SIZES = {16: 32, 32: 32, 64: 16, 128: 4, 256: 1}  # and how many graphs of each
TINY_SIZES = {4: 8, 8: 8}  # where a budget looks at few graphs
DEPTHS = ("n/4", "n/2", "n", "2*n", "4*n")
DEPTH_SIZE = 32
KINDS = {"graphs": "graphs", "dynamic_programming": "tables, points", "geometry": "tables, points"}  # by family
SEED = 11  # of the graphs that models are asked about beside the test set
Models = dict[tuple[str, int], Finished]
Ask = Callable[[Finished, dict[int, int], Advance], dict[str, float]]


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return DESIGN.runs(algorithms, seeds)


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    scores, graph_scores = (DESIGN.scores(results, algorithms, seeds, name) for name in ("test", "test_graph"))
    tables = [
        scores.table("test", "Test scores at 64 nodes beside the paper's best", numbers=papers_best(), means=MEANS),
        graph_scores.table("test_graph", "Graphs of the test that are right in every element", means=MEANS),
    ]
    found = {(task, seed): results.find(DESIGN.run(task, COLUMN, seed)) for task in algorithms for seed in seeds}
    models = {key: model for key, model in found.items() if model is not None}
    tables += [table for table in (_pairs(results, models), _index_shift(results, models)) if table.rows]
    plots = (_by_size(results, models), _by_depth(results, models), choosing(models))
    used = {model.result["protocol"] for model in models.values()}
    notes = (f"protocol: {', '.join(sorted(used))}", f"depths chosen: {_depths(models)}") if models else ()
    return Outcome("beyond", results.budget.name, tuple(tables), plots, notes=notes)


def papers_best() -> Numbers:
    """The best of the paper's four processors with the random scalar index, for each row of its main table."""
    said = paper.read("main_test_random_scalar_index")
    best: dict[tuple[str, str], Number] = {}
    for (row, _), number in said.cells.items():
        if (row, COLUMN) not in best or number.mean > best[row, COLUMN].mean:
            best[row, COLUMN] = number
    return Numbers(best)


def _depths(models: Models) -> str:
    """How many models chose which depth."""
    chosen = [str(model.result.get("depth", model.run.depth)) for model in models.values()]
    return ", ".join(f"{rule} by {chosen.count(rule)}" for rule in sorted(set(chosen)))


def _pairs(results: Results, models: Models) -> Table:
    """Bridges on the pairs of two communities."""
    count = results.budget.graphs(2 * bridges.PAIRS) // 2
    right = []
    for (task, _), model in models.items():
        if task == "bridges":
            compute = partial(bridges.ask, model, count)
            name, schema = f"bridges-{count}-pairs", bridges.OUTCOME_SCHEMA
            told = results.analysis(name, [model], compute, graphs=2 * count, schema=schema)
            right.append(100 * PairOutcomes(**told).accuracy)
    said = Number(100 * bridges.PAPER_RIGHT / bridges.PAIRS)
    cells = {("pairs right in both graphs", COLUMN): Cell(tuple(right), said)} if right else {}
    rows = tuple(row for row, _ in cells)
    return Table("pairs", f"Bridges on {count} pairs of two communities", rows, (COLUMN,), cells)


def _index_shift(results: Results, models: Models) -> Table:
    """DFS on the first quarter of larger graphs, with two sets of indices."""
    values: dict[str, list[float]] = {}
    for (task, _), model in models.items():
        if task == "dfs":
            for name, (node, _) in index_shift.scores(results, model).items():
                values.setdefault(index_shift.ROWS[name], []).append(node)
    cells = {(row, COLUMN): Cell(tuple(numbers)) for row, numbers in values.items()}
    return Table("index_shift", "DFS where only the indices move", tuple(values), (COLUMN,), cells)


def _by_size(results: Results, models: Models) -> Plot:
    """Scores against sizes, a curve per task."""
    series = []
    for task, of_task in _by_task(models).items():
        told = [_asked(results, "sizes", model, _ask_sizes) for model in of_task]
        sizes = tuple(sorted(int(n) for n in told[0]))
        series.append(Series(task, sizes, tuple(fmean(each[str(n)] for each in told) for n in sizes)))
    title = "Scores against the number of nodes, the benchmark's distribution"
    return Plot("sizes", title, "nodes", "score (%)", by_kind(series))


def _by_depth(results: Results, models: Models) -> Plot:
    size = _depth_size(results)
    told = {
        task: [_asked(results, "depths", model, ask_depths) for model in of_task]
        for task, of_task in _by_task(models).items()
    }
    return depths_plot(told, size)


def depths_plot(told: Mapping[str, Sequence[Mapping[str, float]]], size: int) -> Plot:
    """Scores against the number of steps on one size, up to four times its nodes; means of the models of a task."""
    steps = tuple(depth.parse(rule).of(size) for rule in DEPTHS)
    series = [
        Series(task, steps, tuple(fmean(each[rule] for each in models) for rule in DEPTHS))
        for task, models in told.items()
    ]
    title = f"Scores against the number of steps, {size} nodes"
    return Plot("depths", title, "steps", "score (%)", by_kind(series))


def by_kind(tasks: Sequence[Series]) -> dict[str, tuple[Series, ...]]:
    """Curves of tasks beside those of tasks of their kind."""
    grouped: dict[str, list[Series]] = {}
    for series in tasks:
        grouped.setdefault(KINDS.get(algorithms.get(series.label).family, "sequences"), []).append(series)
    return {kind: tuple(group) for kind, group in grouped.items()}


def choosing(models: Models) -> Plot:
    """What chooses a model against what the test says, a point per run."""
    if not models:
        return Plot("choosing", "What chooses and the test", "chosen by (%)", "test (%)", {})
    tests = tuple(model.percent("test") for model in models.values())
    series = (
        Series("validation, n = 16", tuple(model.percent("val") for model in models.values()), tests),
        Series("ladder, n = 16, 24, 32", tuple(map(_ladder, models.values())), tests),
    )
    title = "Validation and the ladder against the test, a point per run"
    return Plot("choosing", title, "what chooses (%)", "test (%)", {COLUMN: series}, points=True, alike=True)


def _ladder(model: Finished) -> float:
    """The mean over the sets by which the model was chosen."""
    return fmean(map(model.percent, model.run.training_recipe().choose_on))


def _by_task(models: Models) -> dict[str, list[Finished]]:
    grouped: dict[str, list[Finished]] = {}
    for (task, _), model in models.items():
        grouped.setdefault(task, []).append(model)
    return grouped


def _asked(results: Results, kind: str, model: Finished, ask: Ask) -> dict[str, float]:
    """What one model scores on further graphs, by size or depth."""
    graphs = _graphs(results)
    total = sum(graphs.values()) if kind == "sizes" else len(DEPTHS) * graphs[_depth_size(results)]
    keys = map(str, graphs if kind == "sizes" else DEPTHS)
    schema = errors.Record(dict.fromkeys(keys, errors.Number(0, 100)))
    return results.analysis(f"beyond-{kind}", [model], partial(ask, model, graphs), graphs=total, schema=schema)


def _graphs(results: Results) -> dict[int, int]:
    """The sizes that models are asked about, and how many graphs of each."""
    return SIZES if results.budget.most_graphs is None else TINY_SIZES


def _depth_size(results: Results) -> int:
    return min(DEPTH_SIZE, max(_graphs(results)))


def _ask_sizes(model: Finished, graphs: dict[int, int], advance: Advance) -> dict[str, float]:
    network, found = load(model.folder), {}
    for n, count in graphs.items():
        found[str(n)] = 100 * evaluate(network, _sample(model, n, count), seed=0, progress=advance).score
    return found


def ask_depths(model: Finished, graphs: dict[int, int], advance: Advance) -> dict[str, float]:
    """What one model scores after so many steps as `DEPTHS` say, on graphs of one size."""
    network, found = load(model.folder), {}
    n = min(DEPTH_SIZE, max(graphs))
    dataset = _sample(model, n, graphs[n])
    for rule in DEPTHS:
        found[rule] = 100 * evaluate(network, dataset, depth=rule, seed=0, progress=advance).score
    return found


def _sample(model: Finished, n: int, count: int) -> data.Dataset:
    """Graphs of the benchmark's distribution; in string matching `n` is the haystack's length."""
    task = model.run.algorithm
    return data.custom(task, n=5 * n // 4 if task in STRING_MATCHERS else n, count=count, seed=2**31 + SEED)
