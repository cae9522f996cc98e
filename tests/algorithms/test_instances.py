"""Inputs in the short forms that people write: one instance, edges, graphs, marks by their index."""

import json

import networkx
import numpy as np
import pytest

from narlab import algorithms
from narlab.algorithms.engine.checking import check_inputs
from narlab.algorithms.engine.instances import complete, example, example_text
from narlab.common.errors import UsageError

PATH = {"A": [[0, 1, 0], [1, 0, 1], [0, 1, 0]], "s": 0}


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_an_example_gives_back_all_inputs_to_the_last_bit(name):
    algorithm = algorithms.get(name)
    inputs = algorithm.sample(9, 1, seed=3)
    shown = json.loads(example_text(example(algorithm, {key: array[0] for key, array in inputs.items()})))
    assert not {"pos", "adj"} & set(shown)
    found, expected = check_inputs(algorithm, complete(algorithm, shown)), check_inputs(algorithm, inputs)
    assert list(found) == list(expected)
    for key in expected:
        np.testing.assert_array_equal(found[key], expected[key])
    outputs, again = algorithm.execute(inputs).outputs, algorithm.execute(shown).outputs
    for key in outputs:
        np.testing.assert_array_equal(again[key], outputs[key])


def parents(inputs, name="bfs"):
    return algorithms.get(name).execute(inputs).outputs["pi"].tolist()


def test_forms_of_the_same_graph():
    graph = networkx.path_graph(3)
    graph.graph["s"] = 0
    for inputs in (PATH, {**PATH, "s": [1, 0, 0]}, {"edges": [[0, 1], [1, 2]], "s": 0}, graph):
        assert parents(inputs) == [[0, 0, 1]]
    assert parents([PATH, {**PATH, "s": 2}, graph]) == [[0, 0, 1], [1, 2, 2], [0, 0, 1]]
    assert parents({"A": [PATH["A"]] * 2, "s": [0, 2]}) == [[0, 0, 1], [1, 2, 2]]
    assert parents({"edges": [[0, 1]], "n": 3, "s": 0}) == [[0, 0, 2]]


def test_labels_weights_and_directions_of_networkx():
    graph = networkx.Graph(s="b")
    graph.add_weighted_edges_from([("a", "b", 3.0), ("b", "c", 0.5), ("c", "a", 0.5)])
    assert parents(graph, "dijkstra") == [[2, 1, 1]]
    assert parents(graph, "bfs") == [[1, 1, 1]]  # which has no weights
    arcs = networkx.DiGraph([(2, 0), (0, 1)])
    topo = algorithms.get("topological_sort").execute(arcs)
    assert topo.outputs["topo_head"].tolist() == [[1, 0, 0]]  # nodes are counted in the graph's order


def test_edges_are_directed_where_the_algorithms_graphs_are():
    complete_dfs = complete(algorithms.get("dfs"), {"edges": [[0, 1]]})
    assert complete_dfs["A"].tolist() == [[[0, 1], [0, 0]]]
    complete_prim = complete(algorithms.get("mst_prim"), {"edges": [[0, 1, 0.5]], "s": 1})
    assert complete_prim["A"].tolist() == [[[0, 0.5], [0.5, 0]]]


def test_letters_by_their_number():
    given = {"string": [0, 0, 0, 1], "key": [3, 1, 2, 1]}
    assert algorithms.get("naive_string_matcher").execute(given).outputs["match"].tolist() == [[0, 1, 0, 0]]


@pytest.mark.parametrize(
    ("name", "inputs", "message"),
    [
        ("bfs", {"edges": [[0, 1]]}, "bfs misses the input 's'"),
        ("bfs", {"edges": [[0, 1, 2, 3]], "s": 0}, "an edge is a pair"),
        ("bfs", {"edges": [[0, -1]], "s": 0}, "the nodes of an edge are integers from 0"),
        ("bfs", {"edges": [[0, 0.5]], "s": 0}, "the nodes of an edge are integers from 0"),
        ("bfs", {"edges": 3, "s": 0}, "'edges' must be a list of pairs"),
        ("bfs", {"edges": [[0, 4]], "n": 4, "s": 0}, "'n', the number of nodes, must be from 5"),
        ("bfs", {"edges": [[0, 1]], "s": 2}, "input 's' must be from 0 to 1, got 2"),
        ("bfs", {**PATH, "edges": [[0, 1]]}, "not as both"),
        ("dijkstra", {"edges": [[0, 1, 1.0], [1, 0, 2.0]], "s": 0}, "is given twice, with weights 1.0 and 2.0"),
        ("minimum", {"edges": [[0, 1]]}, "minimum has no graph"),
        ("minimum", networkx.path_graph(3), "minimum takes no graph; its inputs: pos, key"),
        ("bfs", networkx.MultiGraph([(0, 1)]), "parallel edges"),
        ("bfs", networkx.Graph([(0, 1)], s=7), "the source 7 is no node of the graph"),
        ("minimum", [{"key": [1, 2]}, {"key": [1, 2, 3]}], "the same number of nodes"),
        ("bfs", [PATH, {"A": PATH["A"]}], "one has no 's'"),
    ],
)
def test_mistakes_get_one_line(name, inputs, message):
    with pytest.raises(UsageError, match=message) as error:
        algorithms.get(name).execute(inputs)
    assert "\n" not in str(error.value)
