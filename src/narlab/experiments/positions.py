"""Position encodings on tasks where the order of nodes matters (two tables). `narlab reproduce positions`.

126 runs: seven tasks of L-CLRS, three seeds; MPNN-G with scalar, random scalar and sinusoidal index, MPNN-FC with
scalar, random scalar and edge position. The first two columns of MPNN-G are runs of `main`. At 0.1 to 0.35 s a step
(docs/speed.md) 80 to 240 hours of two cores.

The paper's means: MPNN-G 60.47 / 66.18 / 24.47, MPNN-FC 54.85 / 63.24 / 61.23.
"""

from collections.abc import Sequence

from narlab.experiments.declaring import paper
from narlab.experiments.declaring.design import Design
from narlab.experiments.declaring.outcome import Outcome
from narlab.experiments.declaring.results import Results
from narlab.training import Run

TITLE = "Position encodings with MPNN-G and MPNN-FC"
ALGORITHMS = (
    "dfs",
    "find_maximum_subarray_kadane",
    "dag_shortest_paths",
    "naive_string_matcher",
    "matrix_chain_order",
    "topological_sort",
    "bfs",
)
POSITIONS = {
    "mpnn_g": ("scalar", "random_scalar", "sinusoidal"),
    "mpnn_fc": ("scalar", "random_scalar", "edge_position"),
}
DESIGNS = {
    processor: Design(ALGORITHMS, {name: {"processor": processor, "position": name} for name in encodings})
    for processor, encodings in POSITIONS.items()
}


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return [run for design in DESIGNS.values() for run in design.runs(algorithms, seeds)]


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    tables = tuple(
        design.scores(results, algorithms, seeds).table(
            processor,
            f"Test scores by position encoding, {processor}",
            numbers=paper.read(f"position_encoding_{processor}"),
        )
        for processor, design in DESIGNS.items()
    )
    return Outcome("positions", results.budget.name, tables)
