"""Processors in the low-data regime: 12 tasks with the benchmark's 1000 training samples. `narlab reproduce low-data`.

108 runs: MPNN-G, 2WL and Hybrid-Average on CLRS with the random scalar index, three seeds. At 0.1 to 0.35 s a step for
MPNN-G and 0.3 to 0.8 s for the others (docs/speed.md) 140 to 390 hours of two cores.

The paper's means: 70.07 / 66.61 / 72.37.
"""

from collections.abc import Sequence

from narlab.experiments.declaring import paper
from narlab.experiments.declaring.design import Design
from narlab.experiments.declaring.outcome import Outcome
from narlab.experiments.declaring.results import Results
from narlab.training import Run

TITLE = "Twelve tasks with 1000 training samples"
ALGORITHMS = (
    "articulation_points",
    "bellman_ford",
    "bfs",
    "dag_shortest_paths",
    "dfs",
    "floyd_warshall",
    "graham_scan",
    "lcs_length",
    "matrix_chain_order",
    "mst_prim",
    "quicksort",
    "task_scheduling",
)
PROCESSORS = ("mpnn_g", "two_wl", "hybrid_average")
DESIGN = Design(
    ALGORITHMS,
    {name: {"dataset": "clrs", "processor": name, "position": "random_scalar"} for name in PROCESSORS},
)


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return DESIGN.runs(algorithms, seeds)


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    scores = DESIGN.scores(results, algorithms, seeds)
    table = scores.table("test", "Test scores with 1000 training samples", numbers=paper.read("low_data"))
    return Outcome("low-data", results.budget.name, (table,))
