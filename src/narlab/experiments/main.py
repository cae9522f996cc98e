"""The main table: four processors on the 24 distinct tasks of L-CLRS. `narlab reproduce main`.

576 runs: MPNN-G, 2WL, Hybrid-Average and Hybrid-Sigmoid, with scalar and random scalar index, three seeds. At 0.1 to
0.35 s a step for MPNN-G and 0.3 to 0.8 s for the others (docs/speed.md) 800 to 2,200 hours of two cores, of which
MPNN-G takes 80 to 280.

The paper's means: scalar 69.23 / 67.96 / 70.92 / 71.98, random scalar 71.11 / 71.52 / 74.33 / 74.31; weighted to the 30
algorithms of the benchmark, random scalar: 64.29 / 64.79 / 68.00 / 68.89.
"""

from collections.abc import Sequence

from narlab.algorithms import DISTINCT
from narlab.experiments.declaring import paper
from narlab.experiments.declaring.design import Design, DesignScores
from narlab.experiments.declaring.outcome import Cell, Number, Outcome, Plot, Series, Table
from narlab.experiments.declaring.paper import Numbers
from narlab.experiments.declaring.results import Results
from narlab.training import Run

TITLE = "Four processors, scalar and random scalar index (the main table)"
ALGORITHMS = tuple(DISTINCT)
PROCESSORS = ("mpnn_g", "two_wl", "hybrid_average", "hybrid_sigmoid")
POSITIONS = ("scalar", "random_scalar")
DESIGNS = {
    position: Design(
        ALGORITHMS, {processor: {"processor": processor, "position": position} for processor in PROCESSORS}
    )
    for position in POSITIONS
}
MEANS = {"mean": None, "weighted_mean": DISTINCT}


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return [run for seed in seeds for design in DESIGNS.values() for run in design.runs(algorithms, [seed])]


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    test = {position: design.scores(results, algorithms, seeds) for position, design in DESIGNS.items()}
    val = {position: design.scores(results, algorithms, seeds, "val") for position, design in DESIGNS.items()}
    said = {position: paper.read(f"main_test_{position}_index") for position in POSITIONS}
    said_val = {"scalar": paper.read("main_val_scalar_index"), "random_scalar": Numbers()}
    tables = [_summary(test, said)]
    for kind, scores, numbers in (("test", test, said), ("validation", val, said_val)):
        for position in POSITIONS:
            title = f"{kind.capitalize()} scores, {position.replace('_', ' ')} index"
            made = scores[position].table(f"{kind}_{position}", title, numbers=numbers[position], means=MEANS)
            tables.append(made)
    return Outcome("main", results.budget.name, tuple(tables), (_agreement(test, said), _shift(val, test)))


def _summary(test: dict[str, DesignScores], said: dict[str, Numbers]) -> Table:
    """The mean over tasks by position and processor."""
    cells: dict[tuple[str, str], Cell] = {}
    for position, scores in test.items():
        for processor in PROCESSORS:
            cells[position, processor] = scores.mean_cell("mean", processor, said[position])
    notes = {position: scores.notes(said[position]) for position, scores in test.items()}
    if len(set(notes.values())) == 1:
        told = notes[POSITIONS[0]]
    else:
        told = tuple(f"{position}: {note}" for position, of_position in notes.items() for note in of_position)
    return Table("summary", "Mean test scores over the distinct tasks", POSITIONS, PROCESSORS, cells, notes=told)


def _agreement(test: dict[str, DesignScores], said: dict[str, Numbers]) -> Plot:
    """A point per task: the paper's score and ours."""
    panels = {}
    for position, scores in test.items():
        cells = {
            processor: [scores.cell(row, processor, said[position]) for row in scores.rows] for processor in PROCESSORS
        }
        pairs = {name: [(cell.paper, cell.number) for cell in column] for name, column in cells.items()}
        panels[f"{position.replace('_', ' ')} index"] = _series(pairs)
    title = "Our test scores against the paper's, a point per task"
    return Plot("agreement", title, "paper (%)", "ours (%)", _with_points(panels), points=True, alike=True)


def _shift(val: dict[str, DesignScores], test: dict[str, DesignScores]) -> Plot:
    """A point per task: the score on data like the training's, and on larger graphs."""
    panels = {}
    for position in POSITIONS:
        pairs = {
            processor: [
                (val[position].cell(row, processor).number, test[position].cell(row, processor).number)
                for row in test[position].rows
            ]
            for processor in PROCESSORS
        }
        panels[f"{position.replace('_', ' ')} index"] = _series(pairs)
    title = "In and out of distribution, a point per task"
    return Plot("shift", title, "validation (%)", "test (%)", _with_points(panels), points=True, alike=True)


def _series(pairs: dict[str, list[tuple[Number | None, Number | None]]]) -> tuple[Series, ...]:
    """The points of each processor that has any."""
    made = []
    for label, both in pairs.items():
        points = [(x.mean, y.mean) for x, y in both if x is not None and y is not None]
        if points:
            made.append(Series(label, *zip(*points, strict=True)))
    return tuple(made)


def _with_points(panels: dict[str, tuple[Series, ...]]) -> dict[str, tuple[Series, ...]]:
    """The panels that have any points."""
    return {title: series for title, series in panels.items() if series}
