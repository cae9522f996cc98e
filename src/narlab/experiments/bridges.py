"""Section 5 and Figure 4: is bridges solved? The 98 %-model on pairs of two communities. `narlab reproduce bridges`.

3 runs, all of them `main`'s: Hybrid-Average on L-CLRS with the scalar index, three seeds; less than 2 hours of two
cores each at 0.3 s a step (docs/speed.md). The model is then asked about the edge between two communities in 1000 pairs
of graphs: in graph A it is a bridge, in graph B a second edge makes it none. That takes minutes, and the answers are
kept in the sweep's folder.

The paper: 98.69 ± 0.51 on the benchmark's test set, right in both graphs of 7 of 1000 pairs (0.70 %); chance is 25 %.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from narlab import data
from narlab.common.errors import Record, Whole
from narlab.evaluation import predict
from narlab.evaluation.metrics.pairs import CHANCE, PairOutcomes, pair_outcomes
from narlab.experiments.declaring import paper
from narlab.experiments.declaring.budget import SEEDS
from narlab.experiments.declaring.design import Design, elements
from narlab.experiments.declaring.outcome import Cell, Drawing, GraphPanel, Number, Outcome, Table
from narlab.experiments.declaring.results import Advance, Finished, Results
from narlab.training import Run, load

if TYPE_CHECKING:
    import networkx

TITLE = "Bridges between two communities (Section 5 and Figure 4)"
ALGORITHMS = ("bridges",)
PROCESSOR = "hybrid_average"
DESIGN = Design(ALGORITHMS, {PROCESSOR: {"processor": PROCESSOR, "position": "scalar"}})
PAIRS = 1000
OUTCOME_SCHEMA = Record(dict.fromkeys((field.name for field in fields(PairOutcomes)), Whole()))
PAPER_RIGHT = 7  # pairs, of 1000
OUTCOMES = {
    "right_right": "right in A and B",
    "right_wrong": "right in A alone",
    "wrong_right": "right in B alone",
    "wrong_wrong": "wrong in both",
}


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return DESIGN.runs(algorithms, seeds)


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    found = [results.find(DESIGN.run("bridges", PROCESSOR, seed)) for seed in seeds]
    done = [model for model in found if model is not None]
    count = results.budget.graphs(2 * PAIRS) // 2
    counted = [
        results.analysis(
            f"bridges-{count}-pairs", [model], partial(ask, model, count), graphs=2 * count, schema=OUTCOME_SCHEMA
        )
        for model in done
    ]
    tables = (_scores(done, counted), _outcomes(counted, count))
    return Outcome("bridges", results.budget.name, tables, drawings=(_benchmark_graph(), _pair()))


def ask(model: Finished, pairs: int, advance: Advance) -> dict[str, int]:
    """The outcomes of a model's word on the joining edges of the first `pairs` pairs."""
    dataset = data.load("bridges_two_communities", "bridges", "test")[: 2 * pairs]
    predicted, truth = predict(load(model.folder), dataset, seed=0, progress=advance)
    return asdict(pair_outcomes(predicted["is_bridge"], truth["is_bridge"], dataset.marks["joining_edge"]))


def _scores(done: Sequence[Finished], counted: Sequence[dict[str, int]]) -> Table:
    said = paper.read("main_test_scalar_index").get("bridges", PROCESSOR)
    right = tuple(100 * PairOutcomes(**each).accuracy for each in counted)
    cells = {
        ("benchmark's test set, F1", PROCESSOR): Cell(
            tuple(model.percent("test") for model in done),
            said,
            elements(DESIGN.run("bridges", PROCESSOR, SEEDS[0]), "test"),
        ),
        ("pairs right in both graphs", PROCESSOR): Cell(right, Number(100 * PAPER_RIGHT / PAIRS)),
    }
    notes = (f"a guess is right in both graphs of {100 * CHANCE:.0f} % of the pairs",)
    rows = tuple(row for row, _ in cells)
    return Table("scores", "Bridges: the benchmark's test and the stricter one", rows, (PROCESSOR,), cells, notes=notes)


def _outcomes(counted: Sequence[dict[str, int]], count: int) -> Table:
    """How many pairs have each outcome."""
    cells = {(label, PROCESSOR): Cell(tuple(float(each[name]) for each in counted)) for name, label in OUTCOMES.items()}
    if count == PAIRS:
        both = OUTCOMES["right_right"]
        cells[both, PROCESSOR] = Cell(cells[both, PROCESSOR].ours, Number(PAPER_RIGHT))
    title = f"What the model says of the joining edge in {count} pairs"
    return Table("outcomes", title, tuple(OUTCOMES.values()), (PROCESSOR,), cells, unit="pairs")


def _benchmark_graph() -> Drawing:
    """The first official test graph that has bridges."""
    test = data.load("clrs", "bridges", "test")
    bridge = test.outputs["is_bridge"] == 1  # [count, N, N]
    k = int(bridge.any((1, 2)).argmax())
    graph = _graph(test.inputs["A"][k])
    panel = GraphPanel(
        f"test graph {k}",
        len(graph),
        tuple(graph.edges),
        groups=_groups(_components(graph), len(graph)),
        marked=tuple((int(u), int(v)) for u, v in np.argwhere(bridge[k]) if u < v),
    )
    note = "marked: its bridges; colours: its connected components"
    return Drawing("benchmark", "The benchmark's test data", (panel,), (note,))


def _pair() -> Drawing:
    """The first pair of two communities."""
    pairs = data.load("bridges_two_communities", "bridges", "test")[:2]
    first, second = (_graph(A) for A in pairs.inputs["A"])
    u, v = sorted(int(end) for end in pairs.marks["joining_edge"][0])
    apart = first.copy()
    apart.remove_edge(u, v)
    communities = sorted(_components(apart), key=lambda nodes: u not in nodes)
    both = [edge for edge in second.edges if (edge[0] in communities[0]) != (edge[1] in communities[0])]
    panels = tuple(
        GraphPanel(
            title,
            len(graph),
            tuple(graph.edges),
            groups=_groups(communities, len(graph)),
            marked=tuple(marked),
        )
        for title, graph, marked in (
            ("A: one joining edge, a bridge", first, [(u, v)]),
            ("B: two, no bridge", second, both),
        )
    )
    return Drawing("pair", "A pair of two communities", panels, ("marked: the edges that join the communities",))


def _graph(A: np.ndarray) -> "networkx.Graph":
    import networkx  # here, because it takes long to load

    graph = networkx.Graph()
    graph.add_nodes_from(range(len(A)))
    graph.add_edges_from((int(u), int(v)) for u, v in np.argwhere(A) if u < v)
    return graph


def _components(graph: "networkx.Graph") -> list[set[int]]:
    import networkx

    return list(networkx.connected_components(graph))


def _groups(parts: Iterable[set[int]], n: int) -> tuple[int, ...]:
    """The number of the part that each node belongs to."""
    group = [0] * n
    for number, nodes in enumerate(parts):
        for node in nodes:
            group[node] = number
    return tuple(group)
