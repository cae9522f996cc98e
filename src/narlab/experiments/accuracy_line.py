"""Figure 2a: in-distribution against out-of-distribution accuracy along training. `narlab reproduce accuracy-line`.

12 runs: MPNN-G on L-CLRS with the scalar index, three seeds, tested at every validation, every 100 steps. The paper
shows bridges and three tasks that it does not name; here they are the ones whose test scores it calls widely different
or varying. At 0.1 to 0.35 s a step (docs/speed.md) 7 to 23 hours of two cores, and 200 tests each.

The paper: correlation is absent, or the slope of the line is far from one; on bridges the test score keeps improving
from about 30 to above 90 % once validation is almost perfect.
"""

from collections.abc import Sequence

import numpy as np

from narlab.experiments.declaring.design import Design
from narlab.experiments.declaring.outcome import Cell, Outcome, Plot, Series, Table
from narlab.experiments.declaring.results import Results
from narlab.training import Run

TITLE = "ID against OOD accuracy along training (Figure 2a)"
ALGORITHMS = ("bridges", "articulation_points", "matrix_chain_order", "dfs")
EVERY = 100
COLUMN = "mpnn_g"
DESIGN = Design(
    ALGORITHMS,
    {COLUMN: {"processor": "mpnn_g", "position": "scalar", "validate_every": EVERY, "test_every": EVERY}},
)
FLAT = 1e-9  # accuracies that differ by less than this are all the same


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return DESIGN.runs(algorithms, seeds)


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    panels = {task: _series(results, task, seeds) for task in algorithms}
    lines = {(task, series.label): _line(series) for task, all_of in panels.items() for series in all_of}
    cells = {}
    for task in algorithms:
        found = [line for (name, _), line in lines.items() if name == task and line is not None]
        cells[task, "correlation"] = Cell(tuple(correlation for correlation, _ in found))
        cells[task, "slope"] = Cell(tuple(slope for _, slope in found))
    notes = ("over all evaluations of a run; empty where an accuracy never changes",)
    title = "The line through OOD against ID accuracy"
    table = Table("line", title, tuple(algorithms), ("correlation", "slope"), cells, unit="", notes=notes)
    plot = Plot("accuracy_line", TITLE, "ID accuracy (%)", "OOD accuracy (%)", panels, points=True)
    return Outcome("accuracy-line", results.budget.name, (table,), (plot,))


def _series(results: Results, task: str, seeds: Sequence[int]) -> tuple[Series, ...]:
    """Validation and test scores of each seed's run, a point per evaluation."""
    made = []
    for seed in seeds:
        done = results.find(DESIGN.run(task, COLUMN, seed))
        points = (
            []
            if done is None
            else [(100 * each["val"], 100 * each["test"]) for each in done.metrics if {"val", "test"} <= each.keys()]
        )
        if points:
            made.append(Series(f"seed {seed}", *zip(*points, strict=True)))
    return tuple(made)


def _line(series: Series) -> tuple[float, float] | None:
    """Correlation and least-squares slope; `None` if one of the two accuracies never changes."""
    x, y = np.array(series.x), np.array(series.y)
    if x.std() < FLAT or y.std() < FLAT:
        return None
    correlation = float(np.corrcoef(x, y)[0, 1])
    return correlation, correlation * float(y.std() / x.std())
