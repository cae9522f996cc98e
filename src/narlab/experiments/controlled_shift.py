"""Table 2 and its validation scores: size and degree shift apart. `narlab reproduce controlled-shift`.

81 runs: MPNN-G on nine graph tasks, three data sets (L-CLRS-Len-Deg, -Len, -Deg), three seeds. The index is the scalar
one: the paper has not come to the random one there. Width 128 and batch 32, as the paper says; its code had 256 and 8.
At 0.19 s a step (docs/speed.md; -Deg trains on 32 nodes and takes about twice that) some 110 hours of two cores.

The paper's means at node level: 84.82 / 87.85 / 86.92; at graph level: 45.17 / 50.75 / 57.77.
"""

from collections.abc import Sequence

from narlab.data.datasets._controlled import GRAPH_TASKS
from narlab.experiments.declaring import paper
from narlab.experiments.declaring.design import Design
from narlab.experiments.declaring.outcome import Outcome
from narlab.experiments.declaring.results import Results
from narlab.training import Run

TITLE = "Size and degree shift apart (Table 2)"
ALGORITHMS = GRAPH_TASKS
SHIFTS = ("l_clrs_len_deg", "l_clrs_len", "l_clrs_deg")
DESIGN = Design(
    ALGORITHMS, {shift: {"dataset": shift, "processor": "mpnn_g", "position": "scalar"} for shift in SHIFTS}
)


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return DESIGN.runs(algorithms, seeds)


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    test = paper.read("controlled_shift_test")
    tables = (
        ("node_level", "Test scores at node level", "test", test.under("node_level")),
        ("graph_level", "Test scores at graph level", "test_graph", test.under("graph_level")),
        ("validation", "Validation scores at node level", "val", paper.read("controlled_shift_val")),
    )
    made = tuple(
        DESIGN.scores(results, algorithms, seeds, score).table(name, title, numbers=numbers)
        for name, title, score, numbers in tables
    )
    return Outcome("controlled-shift", results.budget.name, made)
