"""Approaches that failed, on DFS. `narlab reproduce failed`.

30 runs: MPNN-G on L-CLRS with the random scalar index, three seeds, in ten variants: no hints (a run of `main`), all
hints, the fewer hints the better (the parent alone, then with the colour), Markovian hints (no state is carried), hint
changes as update masks, and quantised states (straight-through, Gumbel-softmax, vector quantisation), the first of them
also with Markovian hints. A larger loss of the update masks, which the paper tried, too, has no variant here. With
hints a DFS of 16 nodes takes 47 steps instead of 32, and each is prepared anew: at 0.2 to 0.35 s a step without hints
(docs/speed.md) one to two hours of two cores each, with hints several times that.

The paper gives no numbers: "the fewer hints we use, the higher the accuracy becomes, however, it never surpasses the
no-hint version", and none of the others did better than the model without them. Its score without hints is `main`'s.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from narlab.experiments.declaring import paper
from narlab.experiments.declaring.design import Design
from narlab.experiments.declaring.outcome import Cell, Outcome, Table
from narlab.experiments.declaring.results import Results
from narlab.training import Run

TITLE = "Approaches that failed, on DFS"
ALGORITHMS = ("dfs",)
VARIANTS: dict[str, dict[str, Any]] = {
    "no hints": {},
    "all hints": {"hints": "encoded_decoded"},
    "hints: parent and colour": {"hints": "encoded_decoded", "hint_names": ("pi_h", "color")},
    "hints: parent": {"hints": "encoded_decoded", "hint_names": ("pi_h",)},
    "Markovian hints": {"hints": "markovian"},
    "hints as update masks": {"hints": "update_mask"},
    "quantised: straight-through": {"quantiser": "straight_through"},
    "quantised: Gumbel-softmax": {"quantiser": "gumbel_softmax"},
    "quantised: vector quantisation": {"quantiser": "vector_quantisation"},
    "Markovian hints, quantised": {"hints": "markovian", "quantiser": "straight_through"},
}
DESIGN = Design(
    ALGORITHMS,
    {name: {"processor": "mpnn_g", "position": "random_scalar", **settings} for name, settings in VARIANTS.items()},
)
SCORES = {"validation": "val", "test": "test", "test, graph level": "test_graph"}


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return DESIGN.runs(algorithms, seeds)


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    cells: dict[tuple[str, str], Cell] = {}
    said = paper.read("main_test_random_scalar_index").get("dfs", "mpnn_g")
    for column, score in SCORES.items():
        found = DESIGN.scores(results, algorithms, seeds, score)
        for variant in VARIANTS:
            number = said if (variant, column) == ("no hints", "test") else None
            cells[variant, column] = replace(found.cell("dfs", variant), paper=number)
    notes = ("the paper gives no numbers for these; its number without hints is the main table's",)
    table = Table("dfs", "DFS: what did not beat no hints", tuple(VARIANTS), tuple(SCORES), cells, notes=notes)
    return Outcome("failed", results.budget.name, (table,))
