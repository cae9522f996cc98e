"""What each part of the triangle model is worth, on eight tasks. `narlab reproduce ablation`.

456 runs of 2,000 steps, three seeds: from the paper's MPNN-G to the final model one part at a time (each column has all
parts of those before it), and the final model with one part taken away or exchanged. The final model's runs are those
of `beyond`. Its triangle runs take 0.1 s of one core a step (docs/beyond.md), all others run on the paper's kernels or
plain PyTorch.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from narlab.evaluation.bootstrap import RESAMPLES, interval_of
from narlab.experiments.declaring.design import Design, DesignScores
from narlab.experiments.declaring.outcome import Cell, Outcome, Table
from narlab.experiments.declaring.results import Results
from narlab.training import Run

TITLE = "What each part of the triangle model is worth"
ALGORITHMS = (
    "bellman_ford",
    "bridges",
    "dfs",
    "floyd_warshall",
    "naive_string_matcher",
    "quickselect",
    "quicksort",
    "strongly_connected_components",
)
STEPS = 2000
WORTH = ("difference", "low", "high")
FIXED_DEPTH = "least_depth=31,largest_depth=31,depths=32"  # the paper's 32 steps, in every batch
ONE_SIZE = "rungs=false"
NO_GRADIENT_FREE = "without_gradient=0"
BY_VALIDATION = "choose_on=val"
PAPER_MODEL: dict[str, Any] = {
    "processor": "mpnn_g",
    "position": "random_scalar",
    "readout": "paper",
    "relations": False,
    "pair_features": (),
    "depth": 32,
}


def _ladder(*options: str, **settings: Any) -> dict[str, Any]:
    """A run by the ladder with some of its parts switched off."""
    return {"recipe": "ladder" + ":" * bool(options) + ",".join(options), **settings}


_RELATIONS: dict[str, Any] = {"relations": True, "position": "order"}
_NO_PAIR_FEATURES: dict[str, Any] = {"pair_features": ()}
BUILT_UP: dict[str, dict[str, Any]] = {
    "the paper's": {"steps": STEPS},
    "+ learning rate": _ladder(ONE_SIZE, FIXED_DEPTH, NO_GRADIENT_FREE, BY_VALIDATION, **PAPER_MODEL, dataset="l_clrs"),
    "+ sizes": _ladder(FIXED_DEPTH, NO_GRADIENT_FREE, BY_VALIDATION, **PAPER_MODEL),
    "+ relations": _ladder(FIXED_DEPTH, NO_GRADIENT_FREE, BY_VALIDATION, **(PAPER_MODEL | _RELATIONS)),
    "+ readout": _ladder(
        FIXED_DEPTH, NO_GRADIENT_FREE, BY_VALIDATION, **(PAPER_MODEL | _RELATIONS | {"readout": "pairs"})
    ),
    "+ processor": _ladder(FIXED_DEPTH, NO_GRADIENT_FREE, BY_VALIDATION, **_NO_PAIR_FEATURES, depth=32),
    "+ depth": _ladder(NO_GRADIENT_FREE, BY_VALIDATION, **_NO_PAIR_FEATURES),
    "+ steps without gradient": _ladder(BY_VALIDATION, **_NO_PAIR_FEATURES),
    "+ choice by the ladder": _ladder(**_NO_PAIR_FEATURES),
    "final": _ladder(),
}
TAKEN_AWAY: dict[str, dict[str, Any]] = {
    "one size": _ladder(ONE_SIZE),
    "no relations": _ladder(relations=False, position="random_scalar"),
    "the paper's readout": _ladder(readout="paper"),
    "MPNN-G": _ladder(processor="mpnn_g"),
    "pivotal attention": _ladder(processor="pivotal_attention"),
    "32 steps": _ladder(FIXED_DEPTH, depth=32),
    "all steps with gradient": _ladder(NO_GRADIENT_FREE),
    "chosen at 16 nodes": _ladder(BY_VALIDATION),
    "no averaging": _ladder("averaging=none"),
}
FINAL = "final"
COMPLETE = Design(ALGORITHMS, {FINAL: _ladder(), **TAKEN_AWAY})
DESIGNS = {
    "built_up": ("From the paper's MPNN-G to the final model, part by part", Design(ALGORITHMS, BUILT_UP)),
    "taken_away": ("The final model with one part taken away or exchanged", COMPLETE),
}
COMPARED = {  # each column, and the one that it is compared with
    "built_up": dict(zip([*BUILT_UP][1:], BUILT_UP, strict=False)),
    "taken_away": dict.fromkeys(TAKEN_AWAY, FINAL),
}


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    found = [run for seed in seeds for _, design in DESIGNS.values() for run in design.runs(algorithms, [seed])]
    return list(dict.fromkeys(found))  # both designs have the final model


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    tables = []
    for name, (title, design) in DESIGNS.items():
        scores = design.scores(results, algorithms, seeds)
        tables += [scores.table(name, title), worth(f"{name}_worth", title, scores, COMPARED[name])]
    return Outcome("ablation", results.budget.name, tuple(tables))


def worth(name: str, title: str, scores: DesignScores, compared: Mapping[str, str]) -> Table:
    """How far each column's mean is above that of the column it is compared with, over the tasks that both have."""
    cells = {}
    for column, other in compared.items():
        found = differences(scores, column, other)
        low, high = interval(found) if found else (None, None)
        for label, value in zip(WORTH, (fmean(found) if found else None, low, high), strict=True):
            cells[column, label] = Cell() if value is None else Cell((value,))
    note = (
        "the mean difference of the tasks' test scores to the column before (from the paper's up) or to the final "
        f"model (one part taken away), and its 95 % interval: {RESAMPLES} resamples of the tasks"
    )
    return Table(name, f"{title}: what it is worth", tuple(compared), WORTH, cells, "points", (note,))


def differences(scores: DesignScores, column: str, other: str) -> list[float]:
    """The difference of two columns for each task that both have, of the mean over the seeds that both have."""
    found = []
    for task in scores.rows:
        one, two = scores.values[task, column], scores.values[task, other]
        seeds = one.keys() & two.keys()
        if seeds:
            found.append(fmean(one[seed] - two[seed] for seed in sorted(seeds)))
    return found


def interval(found: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of a mean over tasks, by a bootstrap over them."""
    drawn = np.random.default_rng(0).choice(np.array(found), (RESAMPLES, len(found)))
    bounds = interval_of(drawn.mean(1))
    return bounds.low, bounds.high
