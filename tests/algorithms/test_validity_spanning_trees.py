"""Any spanning tree of least weight is valid, with weights equal up to the tolerance; what its mistakes are called."""

from itertools import product

import networkx as nx
import numpy as np
import pytest

from narlab import algorithms

INSIDE, OUTSIDE = 0.999e-9, 1.001e-9  # the tolerance is 1e-9


def as_marks(edges, n):
    marks = np.zeros((n, n), int)
    for u, v in edges:
        marks[u, v] = marks[v, u] = 1
    return marks


def as_parents(edges, n, source):
    """The parents of a tree, from the source; nodes that it does not reach point to themselves."""
    tree = nx.Graph(list(edges))
    tree.add_node(source)
    parent = np.arange(n)
    for u, v in nx.bfs_edges(tree, source):
        parent[v] = u
    return parent


def minimum_forests(A):
    """The edges of all minimum spanning forests, by trying all sets of edges."""
    graph = nx.from_numpy_array(A)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    edges = list(graph.edges)
    size = len(A) - nx.number_connected_components(graph)
    forests = {}
    for chosen in product([False, True], repeat=len(edges)):
        kept = [edge for edge, keep in zip(edges, chosen, strict=True) if keep]
        if len(kept) == size and nx.is_forest(nx.Graph([*kept, *((v, v + len(A)) for v in range(len(A)))])):
            forests[tuple(kept)] = sum(A[edge] for edge in kept)
    return [forest for forest, weight in forests.items() if weight == min(forests.values())]


@pytest.mark.parametrize("name", ["mst_kruskal", "mst_prim"])
def test_elements_are_those_of_one_minimum_spanning_tree(name, graph_inputs):
    """Few different weights, so that there are many; of a valid answer it is itself."""
    generator = np.random.default_rng(2)
    algorithm = algorithms.get(name)
    for _ in range(15):
        A = np.triu(generator.choice([0, 0.25, 0.5, 1], (5, 5), p=[0.3, 0.3, 0.2, 0.2]))
        A += np.triu(A, 1).T
        inputs = graph_inputs(name, [(u, v, A[u, v]) for u, v in np.argwhere(A)], 5)
        forests = minimum_forests(A)
        key = "in_mst" if name == "mst_kruskal" else "pi"
        best = np.stack([as_marks(f, 5) if key == "in_mst" else as_parents(f, 5, 0) for f in forests])
        changed = np.repeat(best[:3], 20, axis=0)
        again = generator.random(changed.shape) < 0.15
        changed[again] = generator.integers(0, 2 if key == "in_mst" else 5, again.sum())
        answers = {key: np.concatenate([best, changed])}
        batch = {probe: np.repeat(array, len(answers[key]), axis=0) for probe, array in inputs.items()}
        elements = algorithm.valid_elements(batch, answers)[key]
        valid = algorithm.valid(batch, answers)
        for answer, right, fine in zip(answers[key], elements, valid, strict=True):
            agreements = [answer == forest for forest in best]
            assert any((right == agreement).all() for agreement in agreements)
            assert fine == any(agreement.all() for agreement in agreements)
            if key == "in_mst":
                assert right.sum() == max(agreement.sum() for agreement in agreements)


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_a_heavier_tree_ties_up_to_the_tolerance(scale, graph_inputs, judged):
    for heavier, expected in ((0.0, True), (INSIDE, True), (OUTSIDE, False)):
        arcs = [(0, 1, scale / 2), (1, 2, scale / 2), (0, 2, scale / 2 + scale * heavier)]
        inputs = graph_inputs("mst_kruskal", arcs, 3, both=True)
        valid, elements, gap, texts = judged("mst_kruskal", inputs, in_mst=as_marks([(0, 1), (0, 2)], 3))
        assert (valid, gap == 0, np.all(elements)) == (expected,) * 3
        assert expected or f"edge 1 - 2 of {scale / 2:g} could replace 0 - 2 of" in texts[0]
        inputs = graph_inputs("mst_prim", arcs, 3, both=True)
        valid, elements, gap, texts = judged("mst_prim", inputs, pi=[0, 0, 0])
        assert (valid, gap == 0, np.all(elements)) == (expected,) * 3
        assert expected or f"edge 1 - 2 of {scale / 2:g} could replace 0 - 2 of" in texts[0]


def test_mistakes_in_marked_trees(graph_inputs, judged):
    inputs = graph_inputs("mst_kruskal", [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 2.0), (2, 3, 1.0)], 5, both=True)

    def texts(edges):
        return judged("mst_kruskal", inputs, in_mst=as_marks(edges, 5))[3]

    assert texts([(0, 1), (1, 2), (2, 3)]) == []
    assert texts([(0, 1), (1, 2), (0, 2), (2, 3)]) == ["edge 1 - 2 closes a cycle of marked edges"]
    assert texts([(0, 1), (1, 2)]) == ["no marked edges connect 2 and 3, though there is an edge"]
    assert texts([(0, 1), (1, 2), (2, 3), (3, 4)]) == ["3 - 4 is marked, which is no edge"]
    assert texts([(0, 1), (1, 2), (2, 3), (4, 4)]) == ["4 - 4 is marked, which is no edge"]
    one_way = as_marks([(0, 1), (1, 2), (2, 3)], 5)
    one_way[1, 0] = 0
    assert judged("mst_kruskal", inputs, in_mst=one_way)[2:] == (np.inf, ["edge 0 - 1 is marked in one direction only"])
    assert judged("mst_kruskal", inputs, in_mst=as_marks([(0, 1), (0, 2), (2, 3)], 5))[2] == pytest.approx(1 / 3)


def test_mistakes_in_rooted_trees(graph_inputs, judged):
    inputs = graph_inputs("mst_prim", [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 2.0)], 4, both=True)
    assert judged("mst_prim", inputs, pi=[0, 0, 1, 3])[:3] == (True, [True] * 4, 0)
    assert judged("mst_prim", inputs, pi=[0, 0, 0, 3])[:3] == (False, [True, True, False, True], 0.5)
    turned = judged("mst_prim", inputs, pi=[1, 2, 2, 3])  # the right edges, but away from the source
    assert turned[:3] == (False, [False, False, False, True], np.inf)
    assert turned[3] == [
        "source 0 points to 1, not to itself",
        "node 2 points to itself, though there is a path to it",
    ]


def test_kruskal_takes_no_negative_weights(graph_inputs):
    inputs = graph_inputs("mst_kruskal", [(2, 3, -1)], 6, both=True)
    with pytest.raises(ValueError, match=r"input 'A' must not be negative, got -1\.0 from 2 to 3 in sample 0"):
        algorithms.get("mst_kruskal").valid(inputs, {"in_mst": np.zeros((1, 6, 6))})
