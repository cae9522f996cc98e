"""Kruskal's and Borůvka's algorithm learnt by the same model: 2 algorithms, 2 processors; minutes.

`narlab reproduce spanning-trees`. Without hints the two are the same task, so their columns should agree.
"""

from collections.abc import Sequence

from narlab.experiments.declaring.design import Design
from narlab.experiments.declaring.outcome import Outcome
from narlab.experiments.declaring.results import Results
from narlab.training import Run

TITLE = "Two algorithms for minimum spanning trees"
ALGORITHMS = ("mst_boruvka", "mst_kruskal")
DESIGN = Design(
    ALGORITHMS,
    {
        "MPNN-G": {"processor": "mpnn_g", "recipe": "brisk"},
        "max pooling": {"processor": "max_pooling", "recipe": "brisk"},
    },
)


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return DESIGN.runs(algorithms, seeds)


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    scores = DESIGN.scores(results, algorithms, seeds)
    return Outcome("spanning-trees", results.budget.name, (scores.table("spanning_trees", TITLE),))
