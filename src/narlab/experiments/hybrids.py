"""Hybrids of two processors of a kind and of two kinds. `narlab reproduce hybrids`.

288 runs with the scalar index on the 24 distinct tasks of L-CLRS, three seeds: two MPNN-G, two 2WL (144 runs of its
own), Hybrid-Average and Hybrid-Sigmoid (144 runs of `main`). At 0.3 to 0.5 s a step for two MPNN-G and 1.0 to 2.3 s for
two 2WL (docs/speed.md) its own runs take 500 to 1,100 hours of two cores.

The width is the one that each processor declares, 108 for all of them; a second table has the parameters of every
column, task by task.

The paper's means: 68.77 / 69.57 / 70.92 / 71.98; it gives no scores of single tasks for the first two.
"""

from collections.abc import Sequence

import torch

from narlab.algorithms import DISTINCT
from narlab.experiments.declaring import paper
from narlab.experiments.declaring.design import Design
from narlab.experiments.declaring.outcome import Cell, Outcome, Table
from narlab.experiments.declaring.paper import Numbers
from narlab.experiments.declaring.results import Results
from narlab.models import Network
from narlab.training import Run

TITLE = "Hybrids of two processors of a kind and of two kinds"
ALGORITHMS = tuple(DISTINCT)
PROCESSORS = (
    "hybrid_average:mpnn_g+mpnn_g",
    "hybrid_average:two_wl+two_wl",
    "hybrid_average",
    "hybrid_sigmoid",
)
DESIGN = Design(ALGORITHMS, {name: {"processor": name, "position": "scalar"} for name in PROCESSORS})


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return DESIGN.runs(algorithms, seeds)


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    scores = DESIGN.scores(results, algorithms, seeds)
    tasks, means = paper.read("main_test_scalar_index"), paper.read("hybrid_ablation")
    table = scores.table("test", "Test scores of hybrids", numbers=Numbers({**tasks.cells, **means.cells}))
    return Outcome("hybrids", results.budget.name, (table, _parameters(results, algorithms, seeds[0])))


def _parameters(results: Results, algorithms: Sequence[str], seed: int) -> Table:
    """How many parameters the model of each cell has; encoders and decoders differ between tasks."""
    cells = {
        (task, name): Cell((float(parameters(results.budget.of(DESIGN.run(task, name, seed)))),))
        for task in algorithms
        for name in PROCESSORS
    }
    title = "Size of the models"
    return Table("parameters", title, tuple(algorithms), PROCESSORS, cells, unit="parameters")


def parameters(run: Run) -> int:
    """The number of parameters of a run's model.

    >>> parameters(Run("bfs", processor="hybrid_average", position="scalar"))
    413965
    """
    with torch.device("meta"):  # counts need no numbers
        model = Network(run.resolved().model_settings())
    return sum(parameter.numel() for parameter in model.parameters())
