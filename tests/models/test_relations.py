"""Inputs as relations of pairs, and the order of nodes, on instances small enough to do by hand."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from narlab import algorithms, models
from narlab.common.errors import UsageError
from narlab.models import order, positions, relations
from narlab.models.inputs import RANDOM_FEATURES_PROBE
from narlab.specs import Location, Probe, Type

WIDTHS = {  # numbers per pair
    "activity_selector": 14,
    "binary_search": 10,
    "bfs": 6,
    "lcs_length": 11,
    "minimum": 5,
    "strongly_connected_components": 4,
    "task_scheduling": 10,
}


def of(name, **inputs):
    """The relations of one instance, [K][N][N]."""
    tensors = {key: torch.tensor([value], dtype=torch.float32) for key, value in inputs.items()}
    nodes = max(value.shape[1] for value in tensors.values() if value.ndim > 1)
    values = relations.values_of(algorithms.get(name), {"pos": torch.zeros(1, nodes), **tensors})
    return [column.tolist() for column in values[0].unbind(-1)]


def approximately(matrix):
    return [pytest.approx(row, abs=1e-6) for row in matrix]


@pytest.mark.parametrize("name", WIDTHS)
def test_how_many_there_are(name):
    assert relations.probe_of(algorithms.get(name)).categories == WIDTHS[name]


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_every_algorithm_has_them(name, batch_of):
    batch = batch_of(name)
    probe = relations.probe_of(algorithms.get(name))
    assert (probe.name, probe.location) == ("relations", Location.EDGE)
    values = relations.values_of(algorithms.get(name), batch.inputs)
    assert values.shape == (*batch.size, batch.size[1], probe.categories)
    assert values.isfinite().all()


def test_numbers_are_told_by_scale_and_compared():
    low, high, forth, above, below = of("minimum", key=[2.0, -4.0])
    assert low == approximately([[0.5, 0.5], [-1.0, -1.0]])
    assert high == approximately([[0.5, -1.0], [0.5, -1.0]])
    assert forth == approximately([[0.0, -1.5], [1.5, 0.0]])
    assert above == [[0, 0], [1, 0]]
    assert below == [[0, 1], [0, 0]]
    assert of("minimum", key=[0.0, 0.0])[0] == [[0, 0], [0, 0]]


def test_a_graph_s_numbers_are_scaled_together_and_compared_with_each_other():
    found = of("activity_selector", s=[1.0, 2.0], f=[4.0, 2.0])
    assert found[0] == approximately([[0.25, 0.25], [0.5, 0.5]])  # s_i
    assert found[5] == approximately([[0.75, 0.25], [0.5, 0.0]])  # f_j - s_i
    assert found[6] == [[1, 1], [1, 0]]  # 1[f_j > s_i]
    assert found[7] == approximately([[1, 1], [0.5, 0.5]])  # f_i
    assert found[9] == approximately([[-0.75, -0.5], [-0.25, 0.0]])  # s_j - f_i
    assert found[10] == [[0, 0], [0, 0]]  # 1[s_j > f_i]
    assert found[11] == approximately([[0, -0.5], [0.5, 0]])  # f_j - f_i


def test_integers_are_told_by_the_number_of_nodes():
    found = of("task_scheduling", d=[1.0, 2.0], w=[8.0, 4.0])
    assert found[0] == approximately([[0.5, 0.5], [1, 1]])
    assert found[2] == approximately([[0, 0.5], [-0.5, 0]])
    assert found[5] == approximately([[1, 1], [0.5, 0.5]])  # w, which is not compared with d


def test_graph_numbers_are_compared_with_those_of_nodes():
    found = of("binary_search", key=[1.0, 4.0], target=2.0)[5:]
    assert found[0] == approximately([[0.5, 0.5], [0.5, 0.5]])
    assert found[1] == approximately([[-0.25, -0.25], [0.5, 0.5]])
    assert found[2] == approximately([[-0.25, 0.5], [-0.25, 0.5]])
    assert found[3:] == [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]


def test_edges_are_told_both_ways_and_sources_at_both_ends():
    found = of("bellman_ford", s=[0.0, 1.0], A=[[0.0, 3.0], [5.0, 0.0]], adj=[[1.0, 1.0], [0.0, 1.0]])
    assert found[:2] == [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]
    assert found[2:4] == [[[0, 3], [5, 0]], [[0, 5], [3, 0]]]
    assert found[4:] == [[[1, 1], [0, 1]], [[1, 0], [1, 1]]]


def test_letters_are_compared():
    key = [[1.0, 0, 0, 0], [0, 1.0, 0, 0], [1.0, 0, 0, 0]]
    found = of("naive_string_matcher", string=[0.0, 0.0, 1.0], key=key)
    assert found[0] == [[0, 0, 0], [0, 0, 0], [1, 1, 1]]
    assert found[2] == [[1, 1, 1], [0, 0, 0], [1, 1, 1]]
    assert found[7] == [[0, 1, 0]] * 3
    assert found[10] == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]


def with_input(*probes):
    """As much of an algorithm as relations look at."""
    pos = Probe.input("pos", Location.NODE, Type.SCALAR)
    return SimpleNamespace(inputs=(pos, *probes))


def test_pointers_are_told_both_ways():
    told = with_input(Probe.input("p", Location.NODE, Type.POINTER))
    values = relations.values_of(told, {"pos": torch.zeros(1, 3), "p": torch.tensor([[1, 1, 0]])})
    assert values[0, ..., 0].tolist() == [[0, 1, 0], [0, 1, 0], [1, 0, 0]]
    assert torch.equal(values[..., 1], values[..., 0].transpose(1, 2))


def test_no_inputs_are_no_probe():
    assert relations.probe_of(with_input()) is None
    assert relations.values_of(with_input(), {"pos": torch.zeros(2, 3)}).shape == (2, 3, 3, 0)


def test_what_relations_can_t_show():
    with pytest.raises(UsageError, match="can't show the input 'P', a pointer of edges; use relations=False"):
        relations.probe_of(with_input(Probe.input("P", Location.EDGE, Type.POINTER)))


# In a model


def test_a_model_with_relations_is_told_nothing_else(batch_of):
    batch = batch_of("bfs")
    model = models.build("bfs", position="order", hidden=8, depth=2, relations=True).eval()
    assert [probe.name for probe in model.inputs] == ["pos", "relations"]
    others = replace(batch, random_features=torch.zeros_like(batch.random_features))
    assert torch.equal(model(batch).outputs["pi"], model(others).outputs["pi"])
    assert RANDOM_FEATURES_PROBE in models.build("bfs", hidden=8, depth=2).inputs


def test_scale_does_not_matter(batch_of):
    batch = batch_of("quicksort")
    model = models.build("quicksort", processor="mpnn_fc", position="order", hidden=8, depth=2, relations=True).eval()
    others = replace(batch, inputs={**batch.inputs, "key": 4 * batch.inputs["key"]})
    torch.testing.assert_close(model(batch).outputs["pred"], model(others).outputs["pred"])


@pytest.mark.parametrize("relations", [1, "yes", None])
def test_relations_are_on_or_off(relations):
    with pytest.raises(UsageError, match="relations must be true or false"):
        models.build("bfs", relations=relations)


# The order of nodes


def test_order_of_nodes():
    values = order.relations({"pos": torch.tensor([[0.0, 0.6, 0.3]])})[0]
    assert values[..., 0].tolist() == [[0, 1, 1], [0, 0, 0], [0, 1, 0]]
    assert values[..., 1].tolist() == [[0, 0, 0], [1, 0, 1], [1, 0, 0]]
    assert values[..., 2].tolist() == [[0, 0, 1], [0, 0, 0], [0, 1, 0]]
    assert values[..., 3].tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 0]]
    assert values[..., 4].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert order.next_nodes({"pos": torch.tensor([[0.0, 0.6, 0.3], [0.0, 0.1, 0.2]])}).tolist() == [
        [2, -1, 1],
        [1, 2, -1],
    ]


def test_order_within_strings():
    inputs = {"pos": torch.tensor([[0.0, 0.5, 0.0, 0.3, 0.6]]), "string": torch.tensor([[0.0, 0, 1, 1, 1]])}
    values = order.relations(inputs)[0]
    assert (values[:2, 2:] == 0).all()
    assert (values[2:, :2] == 0).all()
    assert values[2:, 2:, 0].tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    assert values[:2, :2, 2].tolist() == [[0, 1], [0, 0]]
    assert order.next_nodes(inputs).tolist() == [[1, -1, 3, 4, -1]]
    assert order.next_nodes({"pos": torch.zeros(2, 1)}).tolist() == [[-1], [-1]]


@pytest.mark.parametrize("processor", ["mpnn_fc", "mpnn_g"])
def test_messages_see_the_order(processor, batch_of):
    """With compiled kernels and without; the other way round gives another answer."""
    batch = batch_of("bfs")
    model = models.build("bfs", processor=processor, position="order", hidden=8, depth=3).eval()
    turned = replace(batch, inputs={**batch.inputs, "pos": batch.inputs["pos"].flip(1)})
    with torch.no_grad():
        fast = model(batch).outputs["pi"]
        assert not torch.allclose(fast, model(turned).outputs["pi"])
        model.uses_kernels = False
        torch.testing.assert_close(fast, model(batch).outputs["pi"], rtol=1e-4, atol=1e-5)


def test_order_is_for_any_processor():
    assert not positions.get("order").needs_all_pairs
    assert positions.get("order").probe.categories == 5
