"""Cut vertices and bridges are unique; for a strongly connected component any one of its members may stand."""

import numpy as np
import pytest

from narlab import algorithms


def test_marks_of_cut_vertices(graph_inputs, judged):
    inputs = graph_inputs("articulation_points", [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 1, 1)], 4, both=True)
    assert judged("articulation_points", inputs, is_cut=[0, 1, 0, 0])[0]
    valid, elements, _, texts = judged("articulation_points", inputs, is_cut=[1, 0, 0, 0])
    assert (valid, elements) == (False, [False, False, True, True])
    assert texts == [
        "node 0 is marked, but without it no two of its neighbours fall apart",
        "node 1 is not marked, but without it 0 and 2 fall apart",
    ]


def test_marks_of_bridges_count_on_edges_only(graph_inputs, judged):
    inputs = graph_inputs("bridges", [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 1, 1)], 4, both=True)
    right = algorithms.get("bridges").execute(inputs).outputs["is_bridge"][0]
    for masked in (-1, 0, 1):
        assert judged("bridges", inputs, is_bridge=np.where(right == -1, masked, right))[0]
    wrong = right.copy()
    wrong[0, 1] = wrong[2, 3] = wrong[3, 2] = wrong[3, 3] = 1
    wrong[1, 0] = 0
    assert judged("bridges", inputs, is_bridge=wrong)[3] == [
        "edge 0 - 1 is marked in one direction only",
        "edge 2 - 3 is marked, but lies on a cycle",
        "node 3 with itself is marked, which is no bridge",
    ]
    assert judged("bridges", inputs, is_bridge=np.minimum(right, 0))[3] == [
        "edge 0 - 1 is not marked, but without it 0 and 1 fall apart"
    ]


def test_any_member_may_stand_for_its_component_but_only_one(graph_inputs, judged):
    name = "strongly_connected_components"
    inputs = graph_inputs(name, [(0, 1, 1), (1, 2, 1), (2, 0, 1), (2, 3, 1)], 4)
    for member in range(3):
        assert judged(name, inputs, scc_id=[member] * 3 + [3])[0]
    assert judged(name, inputs, scc_id=[0, 0, 2, 3])[:2] == (False, [True] * 4)
    valid, elements, _, texts = judged(name, inputs, scc_id=[0, 0, 2, 2])
    assert (valid, elements) == (False, [True, True, True, False])
    assert texts == [
        "nodes 0 and 2 are of one component, but point to 0 and 2",
        "node 3 points to 2, but no path leads there",
    ]
    assert judged(name, inputs, scc_id=[3, 3, 3, 3])[3][0] == "node 0 points to 3, but no path leads back to 0"


@pytest.mark.parametrize("name", ["articulation_points", "bridges", "mst_kruskal", "mst_prim"])
def test_what_is_defined_on_undirected_graphs_is_judged_on_no_others(name, graph_inputs):
    algorithm = algorithms.get(name)
    answer = {probe.name: np.zeros((1, *probe.shape(6))) for probe in algorithm.outputs}
    with pytest.raises(
        ValueError, match="input 'A' must be symmetric, as an undirected graph is, but sample 0 has"
    ) as error:
        algorithm.valid(graph_inputs(name, [(2, 3, 1)], 6), answer)
    assert str(error.value).replace(".0", "").endswith("has 1 from 2 to 3 and 0 back")
