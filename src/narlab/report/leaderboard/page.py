"""The leaderboard as Markdown."""

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import sqrt
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

from narlab.algorithms import CLRS_30, DISTINCT
from narlab.common import counted, duration, printable
from narlab.experiments.declaring import paper
from narlab.experiments.declaring.design import DesignScores, Weights
from narlab.report.baselines import CHANCE, baselines, best_trivial
from narlab.report.leaderboard.entries import Entry, Rows
from narlab.report.table_formats import markdown_text
from narlab.report.table_words import EMPTY

HEAD = """# Leaderboard

Written by `narlab report --leaderboard FOLDER...` from run folders, cited numbers and baselines; not by hand. Scores
are the benchmark's, in %, on its official test set of 64 nodes. `narlab verify ROW` evaluates the weights of a row
again and says whether its numbers are the same.

± is the standard deviation of the seeds themselves. [low, high] is a 95 % interval: a bootstrap over graphs where
`narlab evaluate` was run on the test set, else Wilson's by the size of the test set; of a mean of one seed, from those
of its tasks. Where a row has not all tasks, its mean says over how many it is. "Weighted" counts each of the 24 tasks
as many times as the benchmark has it (quicksort for four sorts, and so on), which makes 30.
"""
WIDE = """## Wider tests

32 graphs are few. These are the evaluations that `narlab evaluate` left in the run folders and, as "card", those on the
cards of the models that come with the package (`narlab models --pretrained`); for instance

<!-- not run: FOLDER stands for any run -->
```sh
narlab evaluate FOLDER --sizes 64 --count 1000                                   # the same distribution, our own seeds
narlab evaluate FOLDER --sizes 16,32,64,128,256
narlab evaluate FOLDER --graphs er,regular:k=4,ba,ws,tree,grid,delaunay,er_log   # graph tasks
```
"""
METRICS = ("score", "graph_score", "valid")
PAPERS = ("mpnn_g", "hybrid_average")
SECTIONS = (("Without hints", False, "none"), ("With hints", True, "hints"), ("Hint mode not known", None, "not known"))
"""Headings, whether our runs under them have hints, and what `cited.csv` says of the others'."""


def markdown(rows: Rows, tasks: Sequence[str], where: Path) -> str:
    """The whole page; paths are told from the folder `where` on."""
    parts = [HEAD, _means(rows), _by_task(rows, tasks), _evidence(rows, where), _wide(rows)]
    if rows.left_out:
        parts.append("## Left out\n\n" + "".join(f"- {markdown_text(reason)}\n" for reason in rows.left_out))
    return "\n".join(filter(None, parts))


@cache
def cited() -> tuple[dict[str, str], ...]:
    """The numbers of others, as `cited.csv` has them."""
    text = files("narlab.report.leaderboard").joinpath("cited.csv").read_text("utf-8")
    return tuple(csv.DictReader(text.splitlines()))


def _means(rows: Rows) -> str:
    lines = [
        "## Means",
        "",
        "Published means are from `cited.csv` of the package; what was not read at its source is as quoted.",
    ]
    for title, hints, mode in SECTIONS:
        lines += ["", f"### {title}", ""]
        if hints is not None:
            own = rows.having(hints=hints)
            lines += [*(_own_means(own, hints=hints) if own else ["No runs of ours."]), ""]
        lines += _published(mode)
    return "\n".join([*lines, ""])


def _own_means(own: Mapping[str, Sequence[Entry]], *, hints: bool) -> list[str]:
    columns = ["mean of 30"] if hints else ["mean of 24", "weighted to 30"]
    weighings: list[Weights] = [None] if hints else [None, DISTINCT]
    body = []
    for row, entries in own.items():
        run, seeds = entries[0].run, sorted({entry.run.seed for entry in entries})
        facts = [
            f"`{row}`",
            *map(markdown_text, (run.processor, entries[0].title)),
            f"{run.steps:,}",
            ", ".join(map(str, seeds)),
        ]
        tasks = CLRS_30 if hints else tuple(DISTINCT)
        body.append([*facts, *(_mean_text(entries, tasks, weights) for weights in weighings)])
    return _table(["row", "processor", "settings", "steps", "seeds", *columns], body)


def _published(mode: str) -> list[str]:
    heads = ["published", "mean", "of tasks", "weighted to 30", "source", "read at its source", "what to know"]
    columns = ("model", "mean", "tasks", "weighted", "source", "checked", "remark")
    return _table(heads, [[line[name] or EMPTY for name in columns] for line in cited() if line["hints"] == mode])


def _scores(entries: Sequence[Entry], tasks: Sequence[str]) -> DesignScores:
    values: dict[tuple[str, str], dict[int, float]] = {(task, "row"): {} for task in tasks}
    for entry in entries:
        values[entry.run.algorithm, "row"][entry.run.seed] = entry.percent
    return DesignScores(tuple(tasks), tuple(tasks), ("row",), values)


def _mean_text(entries: Sequence[Entry], tasks: Sequence[str], weights: Weights) -> str:
    """The mean over tasks with ± over seeds or, of one seed, an interval; and of how many tasks it is."""
    found = _scores(entries, tasks).mean("row", weights)
    values = list(found.by_seed.values())
    share = "" if len(found.tasks) == len(tasks) else f" ({counted(len(found.tasks), 'task')})"
    if len(values) > 1:
        return f"{mean(values):.2f} ± {pstdev(values):.2f}{share}"
    (seed,) = found.by_seed
    weigh = {task: 1 if weights is None else weights[task] for task in found.tasks}
    own = {entry.run.algorithm: entry for entry in entries if entry.run.seed == seed}
    bounds = {task: own[task].interval for task in found.tasks}
    below, above = (
        sqrt(sum((weigh[task] * (own[task].percent - bounds[task][side])) ** 2 for task in found.tasks))
        / sum(weigh.values())
        for side in (0, 1)
    )
    return f"{values[0]:.2f} [{values[0] - below:.2f}, {values[0] + above:.2f}]{share}"


def _by_task(rows: Rows, tasks: Sequence[str]) -> str:
    """A line for each task: baselines, the paper, and every row of ours without hints, then with hints."""
    heads = ["task", "chance", "best trivial rule", *(f"paper {name}" for name in PAPERS)]
    heads += [f"`{row}`" for row in rows.entries]
    made = []
    numbers = paper.read("main_test_random_scalar_index")
    for task in tasks:
        rule, worth = best_trivial(task)
        guess = f"{100 * baselines(task)[CHANCE].score:.2f}"
        said = [numbers.get(task, name) for name in PAPERS]
        papers = [EMPTY if number is None else f"{number.mean:.2f} ± {number.std:.2f}" for number in said]
        ours = [_task_text([e for e in entries if e.run.algorithm == task]) for entries in rows.entries.values()]
        made.append([task, guess, f"{100 * worth:.2f} ({rule})", *papers, *ours])
    note = "The paper: random scalar index, without hints, 20,000 steps. Rules: `narlab report --baselines`."
    return "\n".join(["## By task", "", note, "", *_table(heads, made), ""])


def _task_text(entries: Sequence[Entry]) -> str:
    values = [entry.percent for entry in entries]
    if not values:
        return EMPTY
    if len(values) > 1:
        return f"{mean(values):.2f} ± {pstdev(values):.2f} ({len(values)})"
    low, high = entries[0].interval
    return f"{values[0]:.2f} [{low:.2f}, {high:.2f}]"


def _evidence(rows: Rows, where: Path) -> str:
    if not rows.entries:
        return ""
    heads = ["task", "seed", "test", "graph", "val", "command", "code", "protocol", "machine", "time", "weights"]
    lines = ["## Every number of ours", ""]
    for row, entries in rows.entries.items():
        made = []
        for entry in entries:
            scores = [f"{100 * entry.result[name]:.2f}" for name in ("test", "test_graph", "val")]
            weights = Path(os.path.relpath(entry.folder, where)).as_posix() + "/best.safetensors"
            facts = [_code(entry.command), *map(markdown_text, (entry.code, entry.protocol or EMPTY, entry.machine))]
            end = [duration(entry.result["seconds"]), f"{_code(weights)} {entry.digest[:12]}"]
            made.append([entry.run.algorithm, str(entry.run.seed), *scores, *facts, *end])
        lines += [f"### `{row}`", "", *_table(heads, made), ""]
    return "\n".join(lines)


def _wide(rows: Rows) -> str:
    heads = ["row", "task", "seed", "data", "n", "family", "graphs", "score", "graph level", "valid"]
    made = [
        [f"`{row}`", entry.run.algorithm, str(entry.run.seed), *_record(record)]
        for row, entries in rows.entries.items()
        for entry in entries
        for record in sorted((*entry.evaluations, *({**row, "data": "card"} for row in entry.card_scores)), key=_place)
    ]
    body = _table(heads, made) if made else ["No evaluations are kept in the run folders."]
    return "\n".join([WIDE, *body, ""])


def _code(text: str) -> str:
    return f"`{printable(text).replace('`', chr(39))}`"


def _place(record: Mapping[str, Any]) -> tuple[str, str, int]:
    return str(record.get("data")), str(record.get("graphs") or ""), int(record.get("n", 0))


def _record(record: Mapping[str, Any]) -> Iterator[str]:
    yield from (markdown_text(str(record.get(name) or EMPTY)) for name in ("data", "n", "graphs", "count"))
    for metric in METRICS:
        values = [record.get(name) for name in (metric, f"{metric}_low", f"{metric}_high")]
        known = [f"{100 * value:.2f}" for value in values if isinstance(value, int | float)]
        yield f"{known[0]} [{known[1]}, {known[2]}]" if len(known) == 3 else EMPTY


def _table(heads: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """Markdown's lines; a bar in a text ends no cell."""
    lines = [heads, ["---"] * len(heads), *body]
    return ["| " + " | ".join(text.replace("|", r"\|") for text in line) + " |" for line in lines]
