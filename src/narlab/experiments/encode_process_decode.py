"""Figure 1: encode, process, decode, on BFS. `narlab reproduce encode-process-decode`.

No runs, seconds. A graph of six nodes with the start node 2, as in the paper's figure: the input, how far the start
node's message has come after each step of processing, and the pointers that are to be decoded. The numbers are the
shapes of what an MPNN-G, as the paper trains it, makes of this graph.

The paper: node features X of n x 2 (index, is it the start), states H of n x d_h after T steps, a score for every pair
of nodes, and the pointer of a node is the best in its row.
"""

from collections.abc import Sequence

import numpy as np
import torch

from narlab import algorithms as benchmark
from narlab import models
from narlab.data import Dataset
from narlab.evaluation.user_instances import as_dataset
from narlab.experiments.declaring.outcome import Cell, Drawing, GraphPanel, Number, Outcome, Table
from narlab.experiments.declaring.results import Results
from narlab.training import Run

TITLE = "Encode, process, decode, on BFS (Figure 1)"
ALGORITHMS = ("bfs",)
EDGES = ((0, 1), (0, 2), (1, 3), (2, 3), (2, 4), (3, 5), (4, 5))
NODES, START = 6, 2


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return []


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    instance = example()
    return Outcome("encode-process-decode", results.budget.name, (_shapes(instance),), drawings=(_stages(instance),))


def example() -> Dataset:
    """The one graph, with its answer."""
    A = np.zeros((1, NODES, NODES))
    for u, v in EDGES:
        A[0, u, v] = A[0, v, u] = 1
    inputs = {
        "pos": np.arange(NODES)[None] / NODES,
        "s": (np.arange(NODES) == START)[None],
        "A": A,
        "adj": (A != 0) | np.eye(NODES, dtype=bool),
    }
    return as_dataset(benchmark.get("bfs"), inputs)


def _shapes(instance: Dataset) -> Table:
    """Rows and columns of each stage's matrix, for this graph."""
    model = models.build("bfs", position="scalar")
    features = [probe for probe in model.algorithm.inputs if probe.name in ("pos", "s")]
    with torch.inference_mode():
        scores = model(models.make_batch(instance)).outputs["pi"][0]
    shapes = {
        "node features X": ((NODES, len(features)), (NODES, 2)),
        "states H": ((NODES, model.settings.hidden), None),
        "scores of pairs": (tuple(scores.shape), (NODES, NODES)),
        "steps T": ((model.settings.depth, 1), None),
    }
    columns = ("rows", "columns")
    cells = {}
    for row, (ours, said) in shapes.items():
        for k, column in enumerate(columns):
            cells[row, column] = Cell((float(ours[k]),), None if said is None else Number(float(said[k])))
    notes = (f"n = {NODES}; the paper's shapes are n x 2 and n x n",)
    return Table("shapes", "What each stage holds", tuple(shapes), columns, cells, unit="", notes=notes)


def _stages(instance: Dataset) -> Drawing:
    """Input, processing step by step, and the decoded pointers; nodes stay where they are."""
    import networkx as nx  # here, because it takes long to load

    distance = nx.single_source_shortest_path_length(nx.Graph(EDGES), START)
    last = max(distance.values())
    parents = instance.outputs["pi"][0]
    pointers = tuple((v, int(parents[v])) for v in range(NODES) if v != START)
    places = tuple((float(x), float(y)) for x, y in nx.kamada_kawai_layout(nx.Graph(EDGES)).values())
    order = list(nx.Graph(EDGES))
    positions = tuple(places[order.index(v)] for v in range(NODES))
    steps = [
        GraphPanel(
            f"process: after step {step}",
            NODES,
            EDGES,
            groups=tuple(int(distance[v] > step) for v in range(NODES)),
            positions=positions,
        )
        for step in range(1, last + 1)
    ]
    start = GraphPanel("encode", NODES, EDGES, groups=tuple(int(v != START) for v in range(NODES)), positions=positions)
    end = GraphPanel(
        "decode: pointers", NODES, pointers, directed=True, groups=start.groups, marked=pointers, positions=positions
    )
    note = "first colour: the start node, then all that its message has reached; arrows: each node's predecessor"
    return Drawing("stages", "Encode, process, decode", (start, *steps, end), (note,))
