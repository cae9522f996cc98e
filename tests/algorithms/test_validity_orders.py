"""Depth-first forests and topological orders: all that some order of visits gives are valid, and no others."""

from itertools import pairwise, permutations, product

import networkx as nx
import numpy as np
import pytest

from narlab import algorithms


def depth_first_forests(A):
    """The parents of all depth-first forests, by trying all that can be visited next."""
    n = len(A)
    found = set()

    def go_on(parent, path):
        if path:
            fresh = [v for v in range(n) if A[path[-1], v] and parent[v] is None]
            for v in fresh:
                go_on([path[-1] if w == v else p for w, p in enumerate(parent)], [*path, v])
            if not fresh:
                go_on(parent, path[:-1])
        else:
            for root in [v for v in range(n) if parent[v] is None]:
                go_on([root if w == root else p for w, p in enumerate(parent)], [root])
            if None not in parent:
                found.add(tuple(parent))

    go_on([None] * n, [])
    return found


@pytest.mark.parametrize("p", [0.2, 0.4, 0.7])
def test_dfs_accepts_the_forests_that_some_order_gives_and_no_others(p, graph_inputs):
    generator = np.random.default_rng(int(10 * p))
    answers = np.array(list(product(range(4), repeat=4)))
    for _ in range(30):
        A = generator.random((4, 4)) < p
        inputs = graph_inputs("dfs", [(u, v, 1) for u, v in np.argwhere(A)], 4)
        batch = {key: np.repeat(array, len(answers), axis=0) for key, array in inputs.items()}
        valid = algorithms.get("dfs").valid(batch, {"pi": answers})
        assert {tuple(answer) for answer in answers[valid].tolist()} == depth_first_forests(A)


def test_dfs_says_which_siblings_have_no_order(graph_inputs, judged):
    arcs = [(0, 1, 1), (0, 2, 1), (1, 2, 1), (2, 1, 1)]
    valid, elements, _, texts = judged("dfs", graph_inputs("dfs", arcs, 3), pi=[0, 0, 0])
    assert not valid
    assert all(elements)
    assert texts == ["no order of the children of 0: edge 1 -> 2 wants 2 before 1, 2 -> 1 wants 1 before 2"]
    assert judged("dfs", graph_inputs("dfs", arcs, 3), pi=[0, 2, 0])[0]
    roots = judged("dfs", graph_inputs("dfs", arcs, 3), pi=[0, 1, 2])
    assert roots[3] == ["no order of the roots: edge 1 -> 2 wants 2 before 1, 2 -> 1 wants 1 before 2"]


def test_dfs_pointers_must_be_arcs_in_their_direction(graph_inputs, judged):
    texts = judged("dfs", graph_inputs("dfs", [(0, 1, 1), (1, 2, 1)], 4), pi=[1, 2, 1, 0])[3]
    assert texts[:3] == [
        "node 0 points to 1, but the edge leads from 0 to 1",
        "node 1 points to 2, but the edge leads from 1 to 2",
        "node 3 points to 0, which is no neighbour",
    ]
    assert texts[3:] == ["cycle 1 -> 2 -> 1"]


def listing(order):
    """The benchmark's form of an order."""
    topo = np.arange(len(order))
    for u, v in pairwise(order):
        topo[u] = v
    return {"topo": topo, "topo_head": np.eye(len(order))[order[0]]}


def test_topological_elements_are_those_that_some_order_has(graph_inputs):
    generator = np.random.default_rng(1)
    algorithm = algorithms.get("topological_sort")
    answers = [listing(order) for order in permutations(range(4))]
    pointers = np.array(list(product(range(4), repeat=4)))
    for _ in range(40):
        relabel = generator.permutation(4)
        A = np.triu(generator.random((4, 4)) < 0.5, 1)[relabel][:, relabel]
        inputs = graph_inputs("topological_sort", [(u, v, 1) for u, v in np.argwhere(A)], 4)
        batch = {key: np.repeat(array, len(answers), axis=0) for key, array in inputs.items()}
        valid = algorithm.valid(batch, {key: np.stack([a[key] for a in answers]) for key in answers[0]})
        right = [answer for answer, fine in zip(answers, valid, strict=True) if fine]
        assert len(right) == len(list(nx.all_topological_sorts(nx.from_numpy_array(A, create_using=nx.DiGraph))))
        batch = {key: np.repeat(array, 256, axis=0) for key, array in inputs.items()}
        heads = np.eye(4)[np.arange(256) % 4]
        elements = algorithm.valid_elements(batch, {"topo": pointers, "topo_head": heads})
        possible = np.array([[any(a["topo"][v] == u for a in right) for u in range(4)] for v in range(4)])
        np.testing.assert_array_equal(elements["topo"], possible[np.arange(4), pointers])
        first = np.array([any(a["topo_head"][v] for a in right) for v in range(4)])
        np.testing.assert_array_equal(elements["topo_head"], first[np.arange(256) % 4])


def test_topological_mistakes_are_named(graph_inputs, judged):
    inputs = graph_inputs("topological_sort", [(0, 1, 1), (1, 2, 1)], 4)
    assert judged("topological_sort", inputs, **listing([3, 0, 1, 2]))[0]
    assert judged("topological_sort", inputs, **listing([1, 3, 0, 2]))[3] == [
        "node 1 is listed before 0, from where an edge leads to it"
    ]
    head = np.eye(4)[0]
    assert judged("topological_sort", inputs, topo=[1, 0, 2, 3], topo_head=head)[3] == [
        "cycle 0 -> 1 -> 0",
        "the list from 0 has 2 of 4 nodes, without 2, 3",
    ]
