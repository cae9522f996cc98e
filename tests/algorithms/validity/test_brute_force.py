"""`valid` says what the definition says, on every answer that there is.

Where all answers are too many at a size that is of use (a table of pointers has n^(n^2)), they are enumerated at the
least size, and at a larger one the answers that differ from a right one in up to two elements ("near"), or those in
which all cells that the problem speaks of take all values ("table").
"""

from dataclasses import dataclass

import numpy as np
import pytest

from narlab import algorithms

from .definitions import DEFINITIONS
from .formats import Format
from .instances import GRAPHS, Arrays, batched, instances, joined, on_graph, sample

EXPLAINED = 40  # answers of a case whose defects are looked for


@dataclass(frozen=True)
class Case:
    """All answers of a kind to `count` random instances of size n."""

    n: int
    count: int
    kind: str = "all"


POINTERS = (Case(3, 20), Case(4, 40), Case(5, 8))
CHAINS = (Case(3, 20), Case(4, 20), Case(5, 5), Case(6, 1))
MARKS = (Case(3, 60), Case(4, 60), Case(5, 40), Case(6, 10))
PAIR_MARKS = (Case(3, 30), Case(4, 1), Case(5, 5, "near"))
TABLES = (Case(2, 10), Case(3, 2), Case(4, 3, "table"), Case(5, 2, "near"))

CASES = {
    "activity_selector": MARKS,
    "articulation_points": MARKS,
    "bellman_ford": POINTERS,
    "bfs": POINTERS,
    "binary_search": MARKS,
    "bridges": PAIR_MARKS,
    "bubble_sort": CHAINS,
    "dag_shortest_paths": POINTERS,
    "dfs": POINTERS,
    "dijkstra": POINTERS,
    "find_maximum_subarray_kadane": MARKS,
    "floyd_warshall": (Case(2, 10), Case(3, 4), Case(4, 4, "near"), Case(5, 1, "near")),
    "graham_scan": MARKS,
    "heapsort": CHAINS,
    "insertion_sort": CHAINS,
    "jarvis_march": MARKS,
    "kmp_matcher": MARKS,
    "lcs_length": (Case(4, 16, "table"), Case(5, 8, "table"), Case(6, 3, "near"), Case(8, 1, "near")),
    "matrix_chain_order": (*TABLES, Case(5, 2, "table")),
    "minimum": MARKS,
    "mst_kruskal": PAIR_MARKS,
    "mst_prim": POINTERS,
    "naive_string_matcher": MARKS,
    "optimal_bst": (Case(1, 4), Case(2, 2), Case(3, 4, "table"), Case(4, 2, "near")),  # n keys make n + 1 nodes
    "quickselect": MARKS,
    "quicksort": CHAINS,
    "segments_intersect": (Case(4, 400),),
    "strongly_connected_components": POINTERS,
    "task_scheduling": MARKS,
    "topological_sort": (Case(3, 20), Case(4, 10), Case(5, 2)),
}

LARGER_CASES = {
    "bellman_ford": (Case(5, 40), Case(6, 4)),
    "bfs": (Case(5, 40), Case(6, 4)),
    "bridges": (Case(4, 8),),
    "dag_shortest_paths": (Case(5, 40), Case(6, 4)),
    "dfs": (Case(5, 40), Case(6, 6)),
    "dijkstra": (Case(5, 40), Case(6, 4)),
    "floyd_warshall": (Case(3, 30), Case(5, 10, "near")),
    "lcs_length": (Case(6, 4, "table"),),
    "matrix_chain_order": (Case(3, 10), Case(5, 10, "table"), Case(6, 5, "near")),
    "mst_kruskal": (Case(4, 8),),
    "mst_prim": (Case(5, 40), Case(6, 4)),
    "optimal_bst": (Case(2, 10), Case(3, 40, "table"), Case(5, 5, "near")),
    "strongly_connected_components": (Case(5, 40), Case(6, 4)),
    "topological_sort": (Case(5, 10),),
}

ON_THEIR_OWN = (  # an element is right on its own exactly if some right answer has it
    "activity_selector",
    "articulation_points",
    "bfs",
    "binary_search",
    "bridges",
    "bubble_sort",
    "dag_shortest_paths",
    "dfs",
    "dijkstra",
    "find_maximum_subarray_kadane",
    "graham_scan",
    "heapsort",
    "insertion_sort",
    "jarvis_march",
    "kmp_matcher",
    "minimum",
    "naive_string_matcher",
    "quickselect",
    "quicksort",
    "segments_intersect",
    "strongly_connected_components",
    "topological_sort",
)


def table_cells(name: str, inputs: Arrays) -> list[int]:
    """The elements of a table of pairs that the problem speaks of."""
    n = len(inputs["pos"])
    if name == "lcs_length":
        second = inputs["string"].tolist().index(1)
        return [u * n + v for u in range(second) for v in range(second, n)]
    first = 1 if name == "matrix_chain_order" else 0
    return [u * n + v for u in range(first, n) for v in range(u + 1, n)]


def answers(name: str, inputs: Arrays, kind: str) -> Arrays:
    """All answers of that kind to one instance, [count, ...]."""
    algorithm = algorithms.get(name)
    form = Format(algorithm, len(inputs["pos"]))
    if kind == "all":
        return form.outputs(form.every())
    base = form.codes(algorithm.execute(batched(inputs, 1), hints=False).outputs)[0]
    return form.outputs(form.near(base) if kind == "near" else form.every(base, table_cells(name, inputs)))


def hold_against_definition(name: str, given: list[Arrays], answered: list[Arrays]) -> None:
    """`valid` of all answers to all instances, in one batch, is what the definition says of each."""
    counts = [len(next(iter(outputs.values()))) for outputs in answered]
    inputs = joined([batched(instance, count) for instance, count in zip(given, counts, strict=True)])
    outputs = joined(answered)
    expected = []
    for instance, tried, count in zip(given, answered, counts, strict=True):
        problem = DEFINITIONS[name](instance)
        expected += [problem.is_right(sample(tried, k)) for k in range(count)]
    right = np.array(expected)
    verdicts = algorithms.get(name).verdicts(inputs, outputs)
    wrong = np.flatnonzero(verdicts.valid != right)
    assert not len(wrong), (
        f"{len(wrong)} of {len(right)}: to {sample(inputs, wrong[0])} the answer {sample(outputs, wrong[0])} "
        f"is {'right' if right[wrong[0]] else 'wrong'} by the definition, and valid says otherwise"
    )
    form = Format(algorithms.get(name), inputs["pos"].shape[1])
    hold_elements_against(form, right.reshape(len(given), -1), verdicts.elements, alone=name in ON_THEIR_OWN)
    if algorithms.get(name).has_value:
        np.testing.assert_array_equal(verdicts.gap == 0, right)
    hold_defects_against(name, inputs, outputs, right)


def hold_elements_against(form: Format, right: np.ndarray, verdicts: tuple, *, alone: bool) -> None:
    """Elements of right answers are right; if they are right `alone`, exactly those are that some right answer has.

    `right` is [instances, answers], the same answers for each instance.
    """
    found = np.concatenate([array.reshape(right.size, -1) for array in verdicts], axis=1)
    assert found[right.ravel()].all()
    if alone and right.shape[1] == form.choices.prod():
        elements, codes = np.arange(len(form.choices)), form.every()
        for instance_right, instance_found in zip(right, found.reshape(*right.shape, -1), strict=True):
            has_some = np.zeros((len(elements), form.choices.max()), bool)
            has_some[elements, codes[instance_right]] = True
            np.testing.assert_array_equal(instance_found, has_some[elements, codes])


def hold_defects_against(name: str, inputs: Arrays, outputs: Arrays, right: np.ndarray) -> None:
    """Some right and some wrong answers have no defects and some."""
    rng = np.random.default_rng(len(right))
    chosen = np.concatenate([rng.permutation(np.flatnonzero(right == side))[:EXPLAINED] for side in (True, False)])
    defects = algorithms.get(name).defects(sample(inputs, chosen), sample(outputs, chosen))
    assert [not found for found in defects] == right[chosen].tolist()
    assert all(defect.text and "\n" not in defect.text for found in defects for defect in found)


def hold_case(name: str, case: Case, seed: int) -> None:
    given = list(instances(name, case.n, case.count, seed=seed))
    hold_against_definition(name, given, [answers(name, instance, case.kind) for instance in given])


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_every_answer(name):
    for case in CASES[name]:
        hold_case(name, case, seed=case.n)


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGER_CASES)
def test_every_answer_to_more_and_larger_instances(name):
    for case in LARGER_CASES[name]:
        hold_case(name, case, seed=100 + case.n)


def every_graph(n: int, weights: int, *, directed: bool, acyclic: bool) -> np.ndarray:
    """All graphs without loops whose arcs weigh from 1 to `weights`, [count, n, n]."""
    pairs = [(u, v) for u in range(n) for v in range(n) if (u != v if directed else u < v)]
    columns = np.indices((weights + 1,) * len(pairs)).reshape(len(pairs), -1)
    A = np.zeros((columns.shape[1], n, n), int)
    for (u, v), column in zip(pairs, columns, strict=True):
        A[:, u, v] = column
    if not directed:
        A += A.swapaxes(1, 2)
    has_cycle = np.linalg.matrix_power(A, n).any(axis=(1, 2))  # a walk of n arcs visits a node twice
    return A[~has_cycle] if acyclic else A


WEIGHTED = ("bellman_ford", "dag_shortest_paths", "dijkstra", "mst_kruskal", "mst_prim")
ACYCLIC = ("dag_shortest_paths", "topological_sort")
UNDIRECTED = ("articulation_points", "bridges", "mst_kruskal", "mst_prim")


def on_every_graph(name: str, n: int) -> None:
    rng = np.random.default_rng(n)
    graphs = every_graph(n, 2 if name in WEIGHTED else 1, directed=name not in UNDIRECTED, acyclic=name in ACYCLIC)
    probes = algorithms.get(name).inputs
    drawn = [on_graph(rng, name, A) for A in graphs]
    given = [{probe.name: np.asarray(inputs[probe.name], probe.dtype) for probe in probes} for inputs in drawn]
    hold_against_definition(name, given, [answers(name, instance, "all") for instance in given])


@pytest.mark.parametrize("name", [name for name in GRAPHS if name != "floyd_warshall"])
def test_every_answer_on_every_graph_of_three_nodes(name):
    on_every_graph(name, 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bfs", "dfs", "mst_prim", "strongly_connected_components", "topological_sort"])
def test_every_answer_on_every_graph_of_four_nodes(name):
    on_every_graph(name, 4)
