"""Table 1 and its full form: test scores on CLRS with and without hints. `narlab reproduce hints`.

540 runs: MPNN-FC, PGN and GAT, with and without hints, 30 algorithms, three seeds, on the benchmark's 1000 training
samples with its scalar index. The paper took "the same configuration" as the benchmark's own but for the hints: recipe
`clrs`, 10,000 steps in which T is the trajectory's own length, so that algorithms of one task differ also without
hints. At up to 0.35 s for 32 recurrent steps (docs/speed.md) a run without hints takes up to an hour of two cores, and
several where trajectories are long; with hints up to several times that.

The paper's means with and without hints: MPNN-FC 51.02 / 60.04, PGN 52.31 / 57.02, GAT 44.69 / 49.53; wins 8 / 22,
10 / 20, 14 / 16. Its numbers with hints are those of the benchmark's own paper, which tuned its models.
"""

from collections.abc import Mapping, Sequence

from narlab.algorithms import CLRS_30
from narlab.experiments.declaring import paper
from narlab.experiments.declaring.design import Design, DesignScores
from narlab.experiments.declaring.outcome import Cell, Number, Outcome, Table
from narlab.experiments.declaring.paper import Numbers
from narlab.experiments.declaring.results import Results
from narlab.training import Run

TITLE = "With and without hints (Table 1 and its full form)"
ALGORITHMS = CLRS_30
PROCESSORS = ("mpnn_fc", "pgn", "gat")
BENCHMARK = {"dataset": "clrs", "position": "scalar", "recipe": "clrs"}  # its own configuration
HINTS = {"hints": "encoded_decoded", "no_hints": "none"}
DESIGN = Design(
    ALGORITHMS,
    {
        f"{processor}/{use}": {**BENCHMARK, "processor": processor, "hints": mode}
        for processor in PROCESSORS
        for use, mode in HINTS.items()
    },
)


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return DESIGN.runs(algorithms, seeds)


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    numbers = paper.read("hints_vs_no_hints")
    test = DESIGN.scores(results, algorithms, seeds)
    val = DESIGN.scores(results, algorithms, seeds, "val")
    mean = "validation_score_mean"
    tables = (
        test.table("test", "Test scores with and without hints", numbers=numbers),
        _wins(test, numbers),
        val.table("validation", "Validation scores of the same runs", numbers=numbers.only(mean), means={mean: None}),
    )
    return Outcome("hints", results.budget.name, tables)


def _wins(test: DesignScores, numbers: Numbers) -> Table:
    """On how many algorithms each of the two has the higher mean over seeds."""
    cells, notes = {}, []
    for processor in PROCESSORS:
        columns = [f"{processor}/{use}" for use in HINTS]
        compared = [row for row in test.rows if all(test.values[row, column] for column in columns)]
        ours = {(row, column): test.cell(row, column, numbers).number for row in compared for column in columns}
        theirs = {(row, column): numbers.get(row, column) for row in compared or test.rows for column in columns}
        for column, other in (columns, columns[::-1]):
            won = (float(_wins_of(ours, column, other)),) if compared else ()
            cells["wins", column] = Cell(won, Number(_wins_of(theirs, column, other)))
        if len(compared) < len(ALGORITHMS):
            notes.append(f"{processor}: both are done for {len(compared)} of {len(ALGORITHMS)} algorithms")
    return Table("wins", "Algorithms with the higher score", ("wins",), test.columns, cells, "wins", tuple(notes))


def _wins_of(means: Mapping[tuple[str, str], Number | None], column: str, other: str) -> int:
    rows = dict.fromkeys(row for row, _ in means)
    pairs = [(means[row, column], means[row, other]) for row in rows]
    return sum(one is not None and two is not None and one.mean > two.mean for one, two in pairs)
