"""The definitions are held against numbers that combinatorics knows: how many answers of all are right."""

from math import comb, factorial

import numpy as np
import pytest

from narlab import algorithms

from .definitions import DEFINITIONS
from .formats import Format
from .instances import on_graph, sample, strings

RNG = np.random.default_rng(0)


def right_answers(name, inputs, free=None):
    """How many answers are right; with `free`, of those that are zero in all other elements."""
    form = Format(algorithms.get(name), len(inputs["pos"]))
    base = None if free is None else np.zeros(len(form.choices), int)
    answers = form.outputs(form.every(base, free))
    problem = DEFINITIONS[name](inputs)
    return sum(problem.is_right(sample(answers, k)) for k in range(len(next(iter(answers.values())))))


def complete(n):
    return 1 - np.eye(n, dtype=int)


def above_diagonal(n, least):
    """The elements (i, j), least <= i < j, of a table [n, n]."""
    return [i * n + j for i in range(least, n) for j in range(i + 1, n)]


def test_every_algorithm_has_a_definition():
    assert tuple(DEFINITIONS) == algorithms.CLRS_30


@pytest.mark.parametrize(("name", "n"), [("mst_prim", 5), ("mst_kruskal", 4)])
def test_a_complete_graph_of_equal_weights_has_cayley_s_number_of_trees(name, n):
    assert right_answers(name, on_graph(RNG, name, complete(n))) == n ** (n - 2)


def test_depth_first_forests_are_all_orders_of_a_complete_graph_and_the_ways_to_root_a_path():
    assert right_answers("dfs", on_graph(RNG, "dfs", complete(4))) == factorial(4)
    path = np.eye(5, k=1, dtype=int)
    assert right_answers("dfs", on_graph(RNG, "dfs", path)) == 2**4  # each arc is in the forest or its end was earlier
    assert right_answers("dfs", on_graph(RNG, "dfs", path + path.T)) == 5


def test_orders_are_counted_by_factorials():
    empty = np.zeros((5, 5), int)
    assert right_answers("topological_sort", on_graph(RNG, "topological_sort", empty)) == factorial(5)
    equal_keys = {"pos": np.arange(5), "key": np.ones(5)}
    assert right_answers("quicksort", equal_keys) == factorial(5)
    assert right_answers("quicksort", {"pos": np.arange(5), "key": np.array([1, 0, 1, 0, 0])}) == 2 * 6


def test_equal_matrices_may_be_multiplied_in_any_of_catalan_s_ways():
    catalan = comb(6, 3) // 4  # four matrices
    n = 5
    tables = right_answers("matrix_chain_order", {"pos": np.arange(n), "p": np.ones(n)}, above_diagonal(n, 1))
    unused = 6 - 3  # cells of the table that a parenthesisation makes no use of
    assert tables == catalan * n**unused


def test_search_trees_over_nothing_are_all_equal():
    n = 4
    free = above_diagonal(n, 0)
    trees = right_answers("optimal_bst", {"pos": np.arange(n), "p": np.zeros(n), "q": np.zeros(n)}, free)
    assert trees == 5 * n ** (6 - 3)


def test_equal_letters_have_one_longest_common_subsequence():
    inputs = strings(RNG, 2, 2) | {"key": np.eye(4)[[0, 0, 0, 0]]}
    table = [0 * 4 + 2, 0 * 4 + 3, 1 * 4 + 2, 1 * 4 + 3]
    assert right_answers("lcs_length", inputs, table) == 4**2  # two cells on the diagonal are fixed, two are free


def test_components_have_as_many_representatives_as_nodes():
    two_cycles = np.kron(np.eye(2, dtype=int), complete(2))
    assert right_answers("strongly_connected_components", on_graph(RNG, "dfs", two_cycles)) == 2 * 2


def test_breadth_first_trees_of_a_complete_bipartite_graph():
    sides = np.array([0, 0, 1, 1, 1])
    inputs = on_graph(RNG, "bfs", (sides[:, None] != sides).astype(int)) | {"s": np.eye(5, dtype=int)[0]}
    assert right_answers("bfs", inputs) == 3  # the other node of the source's side hangs below any of three


def test_points_on_the_border_are_a_matter_of_taste():
    square = {"pos": np.arange(6), "x": np.array([0, 2, 2, 0, 1, 1]), "y": np.array([0, 0, 2, 2, 0, 1])}
    assert right_answers("graham_scan", square) == 2
