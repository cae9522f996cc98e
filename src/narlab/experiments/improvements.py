"""The summary of improvements, one after the other. `narlab reproduce improvements`.

288 runs on the 24 distinct tasks, three seeds: MPNN-G on the benchmark's 1000 samples (72 runs of its own), on L-CLRS,
with the random scalar index, and Hybrid-Average in its place (216 runs of `main`). The paper does not spell the
baseline out; MPNN-G with the scalar index and no hints is what its next row changes the data of. At 0.1 to 0.35 s a
step (docs/speed.md) its own runs take 40 to 140 hours of two cores.

The paper's means: 60.93, 69.23 (+8.30), 71.11 (+1.88), 74.33 (+3.22).
"""

from collections.abc import Sequence
from itertools import pairwise

from narlab.algorithms import DISTINCT
from narlab.experiments.declaring import paper
from narlab.experiments.declaring.design import Design, DesignScores
from narlab.experiments.declaring.outcome import Cell, Outcome, Table
from narlab.experiments.declaring.paper import Numbers
from narlab.experiments.declaring.results import Results
from narlab.training import Run

TITLE = "The summary of sequential improvements"
ALGORITHMS = tuple(DISTINCT)
DESIGN = Design(
    ALGORITHMS,
    {
        "baseline": {"dataset": "clrs", "processor": "mpnn_g", "position": "scalar"},
        "increase_id_dataset_size": {"processor": "mpnn_g", "position": "scalar"},
        "improve_input_representation_shift": {"processor": "mpnn_g", "position": "random_scalar"},
        "add_hybrid_processor": {"processor": "hybrid_average", "position": "random_scalar"},
    },
)
TASKS = {
    "increase_id_dataset_size": ("main_test_scalar_index", "mpnn_g"),
    "improve_input_representation_shift": ("main_test_random_scalar_index", "mpnn_g"),
    "add_hybrid_processor": ("main_test_random_scalar_index", "hybrid_average"),
}
"""Where the paper has the scores of single tasks; it has none of the baseline's."""
SCORE, GAIN = "mean_test_score", "improvement"


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return DESIGN.runs(algorithms, seeds)


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    test, numbers = DESIGN.scores(results, algorithms, seeds), _numbers()
    rows = test.columns
    cells = {(row, SCORE): test.mean_cell("mean", row, numbers) for row in rows}
    cells |= {(row, GAIN): _gain(test, before, row) for before, row in pairwise(rows)}
    cells[rows[0], GAIN] = Cell()
    notes = test.notes(numbers)
    if notes:
        notes = (*notes, "an improvement is shown where both of its means cover the same tasks")
    title = "Mean test scores over the distinct tasks, one change after the other"
    table = Table("improvements", title, rows, (SCORE, GAIN), cells, notes=notes)
    by_task = test.table("tasks", "Test scores by task", numbers=numbers)
    return Outcome("improvements", results.budget.name, (table, by_task))


def _numbers() -> Numbers:
    """The paper's means, and its scores by task from the main table."""
    means, cells = paper.read("improvements"), {}
    for column in DESIGN.columns:
        if (mean := means.get(column, SCORE)) is not None:
            cells["mean", column] = mean
    for column, (table, processor) in TASKS.items():
        for task in ALGORITHMS:
            if (number := paper.read(table).get(task, processor)) is not None:
                cells[task, column] = number
    return Numbers(cells)


def _gain(test: DesignScores, before: str, after: str) -> Cell:
    """What a change brings, by seed; nothing if the two means are over different tasks."""
    one, two = test.mean(before), test.mean(after)
    tasks = set(one.tasks or test.rows)
    if set(two.tasks or test.rows) != tasks:
        return Cell()
    said = paper.read("improvements").get(after, GAIN) if tasks == set(ALGORITHMS) else None
    return Cell(tuple(two.by_seed[seed] - one.by_seed[seed] for seed in one.by_seed if seed in two.by_seed), said)
