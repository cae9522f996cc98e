"""Any tree of shortest paths is valid, with lengths equal up to the tolerance; what its mistakes are called."""

import numpy as np
import pytest

from narlab import algorithms

TREES = ("bellman_ford", "dijkstra", "dag_shortest_paths")
INSIDE, OUTSIDE = 0.999e-9, 1.001e-9  # the tolerance is 1e-9


@pytest.mark.parametrize("name", [*TREES, "floyd_warshall"])
@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_a_longer_path_ties_up_to_the_tolerance(name, scale, graph_inputs, judged):
    for longer, expected in ((0.0, True), (INSIDE, True), (OUTSIDE, False), (-INSIDE, True)):
        arcs = [(0, 1, scale / 2), (0, 2, scale / 2), (1, 3, scale / 2), (2, 3, scale / 2 + scale * longer)]
        answer = {"pi": [0, 0, 0, 2]}
        if name == "floyd_warshall":
            answer = {"Pi": [[0, 0, 0, 2], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]]}
        valid, _, gap, texts = judged(name, graph_inputs(name, arcs, 4), **answer)
        assert valid == expected, longer
        assert (gap == 0) == expected
        assert expected or "node 3 points to 2, by which it is" in texts[0]


@pytest.mark.parametrize("name", TREES)
def test_lengths_below_one_tie_by_an_absolute_tolerance(name, graph_inputs, judged):
    for longer, expected in ((INSIDE, True), (OUTSIDE, False)):
        arcs = [(0, 1, 1e-3), (0, 2, 1e-3), (1, 3, 1e-3), (2, 3, 1e-3 + longer)]
        assert judged(name, graph_inputs(name, arcs, 4), pi=[0, 0, 0, 2])[0] == expected


@pytest.mark.parametrize("name", ["bellman_ford", "dijkstra", "floyd_warshall"])
def test_ties_that_run_in_a_circle_are_no_tree(name, graph_inputs, judged):
    inputs = graph_inputs(name, [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1e-12)], 3, both=True)
    if name == "floyd_warshall":
        valid, elements, gap, texts = judged(name, inputs, Pi=[[0, 2, 1], [1, 1, 1], [2, 2, 2]])
        assert np.all(elements)
        assert texts == ["from 0: cycle 1 -> 2 -> 1"]
    else:
        valid, elements, gap, texts = judged(name, inputs, pi=[0, 2, 1])
        assert elements == [True, True, True]
        assert texts == ["cycle 1 -> 2 -> 1"]
    assert (valid, gap) == (False, np.inf)


@pytest.mark.parametrize("name", TREES)
def test_gaps_of_paths(name, graph_inputs, judged):
    inputs = graph_inputs(name, [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 3.0)], 4)
    assert judged(name, inputs, pi=[0, 0, 1, 3])[2] == 0
    assert judged(name, inputs, pi=[0, 0, 0, 3])[2] == pytest.approx(1 / 3)  # 1 + 3 and not 1 + 2
    assert judged(name, inputs, pi=[0, 0, 2, 3])[2] == np.inf
    assert judged(name, inputs, pi=[0, 0, 1, 0])[2] == np.inf


def test_negative_weights_are_judged_by_the_shortest_path(graph_inputs, judged):
    inputs = graph_inputs("bellman_ford", [(0, 1, 1.0), (0, 2, 3.0), (2, 1, -2.5)], 3)
    assert judged("bellman_ford", inputs, pi=[0, 2, 0])[0]
    assert not judged("bellman_ford", inputs, pi=[0, 0, 0])[0]


def test_floyd_warshall_where_no_path_leads_and_on_the_diagonal(graph_inputs, judged):
    loop = [(0, 1, 0.2), (0, 0, 0.5)]  # there and back is shorter than the self-loop; 2 is alone
    inputs = graph_inputs("floyd_warshall", loop, 3, both=True)
    right = [[1, 0, 0], [1, 1, 1], [2, 2, 2]]
    assert algorithms.get("floyd_warshall").execute(inputs).outputs["Pi"][0].tolist() == right
    assert judged("floyd_warshall", inputs, Pi=right)[0]
    by_loop = judged("floyd_warshall", inputs, Pi=[[0, 0, 0], *right[1:]])
    assert by_loop[2] == pytest.approx(0.1 / 0.8)
    assert by_loop[3] == ["from 0 to itself: node 0 points to 0, but the walk there and back is 0.5 long, not 0.4"]
    nowhere = judged("floyd_warshall", inputs, Pi=[[1, 0, 2], *right[1:]])
    assert nowhere[2] == np.inf
    assert nowhere[3] == ["from 0 to 2: there is no path, and node 2 must point to 0, not to 2"]
    assert not judged("floyd_warshall", inputs, Pi=[[1, 0, 0], [1, 0, 1], right[2]])[0]  # 1 has no self-loop


NO_CYCLE = r"input 'A' must have no negative cycle, but the .* of sample 0 (reaches|has) one"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bellman_ford", NO_CYCLE),
        ("floyd_warshall", NO_CYCLE),
        ("dijkstra", "input 'A' must not be negative, got -2.0 from 1 to 2 in sample 0"),
    ],
)
def test_negative_cycles_are_refused(name, message, graph_inputs):
    inputs = graph_inputs(name, [(0, 1, 1), (1, 2, -2), (2, 1, 1)], 6)
    algorithm = algorithms.get(name)
    answer = {probe.name: np.zeros((1, *probe.shape(6))) for probe in algorithm.outputs}
    with pytest.raises(ValueError, match=message):
        algorithm.valid(inputs, answer)
