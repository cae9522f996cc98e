"""Prints the tables of docs/beyond.md, from the models that come with the package, results and the cards.

Those of the ablation are of the runs in results/ablation that are done.

`python scripts/beyond_tables.py`
"""

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from narlab.algorithms import DISTINCT
from narlab.experiments import ablation
from narlab.experiments.beyond import COLUMN, papers_best
from narlab.experiments.declaring import budget
from narlab.experiments.declaring.results import Results as Sweep
from narlab.training import cards, pretrained
from narlab.training.folder import Folder

ROOT = Path(__file__).parents[1]
MODELS = ("src/narlab/training/shipped/triangle", "results/beyond")
WITHOUT_PAIR_FEATURES = ("results/without_pair_features",)
LADDER = ("ladder_16", "ladder_24", "ladder_32")
SIZES = (32, 64, 128, 256)
FAMILY_SIZE = 128
ABLATED = ("bellman_ford", "bridges", "dfs", "floyd_warshall", "quicksort", "strongly_connected_components")
Results = dict[str, dict[int, dict[str, Any]]]


def results(homes: tuple[str, ...]) -> Results:
    """What the runs of these folders ended with, by task and seed."""
    found: Results = {}
    for path in sorted(file.parent for home in homes for file in (ROOT / home).glob("*/result.json")):
        run, result = Folder(path).run(), Folder(path).result()
        assert result is not None
        found.setdefault(run.algorithm, {})[run.seed] = result
    return {task: dict(sorted(of_task.items())) for task, of_task in sorted(found.items())}


def percent(runs: dict[int, dict[str, Any]], name: str) -> float:
    return 100 * fmean(run[name] for run in runs.values())


def test_rows(models: Results, others: Results) -> Iterator[list[str]]:
    """Each task's scores, and those of other models; bold: above the paper's best."""
    papers = papers_best()
    for task, runs in models.items():
        number, tests = papers.get(task, COLUMN), [100 * run["test"] for run in runs.values()]
        assert number is not None
        score = f"{fmean(tests):.2f}"
        depths = dict.fromkeys(str(run["depth"]) for run in runs.values())
        yield [
            task,
            f"{number.mean:.2f}",
            (f"**{score}**" if fmean(tests) > number.mean else score) + f" ± {pstdev(tests):.2f}",
            ", ".join(f"{seed}: {test:.2f}" for seed, test in zip(runs, tests, strict=True)),
            f"{percent(others[task], 'test'):.2f}" if task in others else "",
            f"{percent(runs, 'test_graph'):.2f}",
            f"{percent(runs, 'val'):.2f}",
            " / ".join(f"{percent(runs, name):.2f}" for name in LADDER),
            ", ".join(depths),
        ]


def means(models: Results) -> str:
    """Of all tasks, plain and weighted to the benchmark's algorithms."""
    total = sum(DISTINCT[task] for task in models)
    told = []
    for name in ("test", "test_graph", "val"):
        weighted = sum(DISTINCT[task] * percent(runs, name) for task, runs in models.items()) / total
        told.append(f"{name} {fmean(percent(runs, name) for runs in models.values()):.2f}, weighted {weighted:.2f}")
    return f"{len(models)} tasks, {sum(map(len, models.values()))} runs: " + "; ".join(told)


def size_rows() -> Iterator[list[str]]:
    """Scores of the models of the package by size, of all pairs right at one of them, and of three families."""
    for name in pretrained.names():
        task, _, processor = name.partition("@")
        rows = {(row["n"], row["graphs"]): row for row in cards.read(name)["scores"]}
        if processor == pretrained.DEFAULT and len({n for n, _ in rows}) > 1:
            cells = [rows.get((n, None), {}).get("score") for n in SIZES]
            cells.append(rows.get((FAMILY_SIZE, None), {}).get("graph_score"))
            cells += [rows.get((FAMILY_SIZE, family), {}).get("score") for family in cards.FAMILIES]
            yield [task, *("" if cell is None else f"{100 * cell:.2f}" for cell in cells)]


def ablation_rows(name: str) -> Iterator[list[str]]:
    """Each column of a design of the ablation: its scores, and what it is worth beside the one it is compared with."""
    _, design = ablation.DESIGNS[name]
    quick = budget.get("quick")
    scores = design.scores(Sweep(ROOT / "results" / "ablation", quick), ABLATED, quick.seeds)
    for column in design.columns:
        values = [scores.values[task, column].get(quick.seeds[0]) for task in ABLATED]
        known = [value for value in values if value is not None]
        other = ablation.COMPARED[name].get(column)
        found = [] if other is None else ablation.differences(scores, column, other)
        worth = (
            f"{fmean(found):+.1f} [{', '.join(f'{bound:.1f}' for bound in ablation.interval(found))}]" if found else ""
        )
        mean = f"{fmean(known):.2f}" if len(known) == len(values) else ""
        yield [column, *("" if value is None else f"{value:.2f}" for value in values), mean, worth]


def show(header: list[str], rows: Iterator[list[str]], left: int) -> None:
    print("| " + " | ".join(header) + " |\n" + "|" + "---|" * left + "---:|" * (len(header) - left))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


if __name__ == "__main__":
    models, without = results(MODELS), results(WITHOUT_PAIR_FEATURES)
    header = ["task", "paper's best", "n = 64", "of seeds"]
    rest = ["all of a graph right", "n = 16 (val)", "ladder 16 / 24 / 32", "T"]
    show([*header, "without pair features", *rest], test_rows(models, without), 1)
    print(means(models), end="\n\n")
    show([*header, "with pair features", *rest], test_rows(without, models), 1)
    print(means(without), end="\n\n")
    sizes = [f"n = {n}" for n in SIZES]
    families = [f"{family}, n = {FAMILY_SIZE}" for family in cards.FAMILIES]
    show(["task", *sizes, f"all right, n = {FAMILY_SIZE}", *families], size_rows(), 1)
    for name in ablation.DESIGNS:
        show(["", *ABLATED, "mean", "worth"], ablation_rows(name), 1)
