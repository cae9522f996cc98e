"""What each part of the triangle model is worth, on eight tasks. `narlab reproduce ablation`.

456 runs of 2,000 steps, three seeds: from the paper's MPNN-G to the final model one part at a time (each column has all
parts of those before it), and the final model with one part taken away or exchanged. The final model's runs are those
of `beyond`. Its triangle runs take 0.1 s of one core a step (docs/beyond.md), all others run on the paper's kernels or
plain PyTorch.
"""

from collections.abc import Sequence
from typing import Any

from narlab.experiments.declaring.design import Design
from narlab.experiments.declaring.outcome import Outcome
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
DESIGNS = {
    "built_up": ("From the paper's MPNN-G to the final model, part by part", Design(ALGORITHMS, BUILT_UP)),
    "taken_away": ("The final model with one part taken away or exchanged", Design(ALGORITHMS, TAKEN_AWAY)),
}


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return [run for seed in seeds for _, design in DESIGNS.values() for run in design.runs(algorithms, [seed])]


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    tables = tuple(
        design.scores(results, algorithms, seeds).table(name, title) for name, (title, design) in DESIGNS.items()
    )
    return Outcome("ablation", results.budget.name, tables)
