"""The readout of pairs against its formulas, for every algorithm, and with every processor."""

from dataclasses import replace

import pytest
import torch

from narlab import algorithms, models
from narlab.common.errors import UsageError
from narlab.evaluation import loss
from narlab.models import hint_modes, positions, processors, quantisers, readouts
from narlab.models.encoders import EdgeFeatures, Features
from narlab.models.readouts import FinalState
from narlab.models.readouts.pairs import SHARPNESS, SLOPE_WHEN_OFF, Readout, rectified
from narlab.models.topology import State
from narlab.specs import Location, Probe, Type

B, N, H, EXTRA = 2, 4, 8, 3
PROCESSORS = (*processors.names(), "hybrid_average:mpnn_g+triangle", "hybrid_sigmoid:gat+pivotal_attention")
FACTS = {"has_pair_state": True, "pair_width": EXTRA}


def draw(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def final_state():
    edge = EdgeFeatures(draw(B, N, N, 2), draw(H, 2, seed=1), draw(H, seed=2))
    features = Features(draw(B, N, H, seed=3), edge, draw(B, H, seed=4))
    state = State(draw(B, N, H, seed=5), draw(B, N, N, H, seed=6), draw(B, N, N, EXTRA, seed=7))
    return FinalState(features, state, state)


def read(probe, **facts):
    torch.manual_seed(9)
    readout = Readout((probe,), H, **facts)
    final = final_state()
    with torch.no_grad():
        return readout.by_name[probe.name], final, readout(final)[probe.name]


def pairs_of(final):
    return torch.cat([final.edge[2], final.edge[0], final.pairs], -1)


def test_node_pointers_and_edges():
    layers, final, logits = read(Probe.output("p", Location.NODE, Type.POINTER), **FACTS)
    x = pairs_of(final)
    for i in range(N):
        for j in range(N):
            both = torch.cat([x[:, i, j], x[:, j, i]], -1)
            expected = SHARPNESS * layers.out(layers.of_pair(both).relu())[:, 0]
            torch.testing.assert_close(logits[:, i, j], expected, rtol=1e-4, atol=1e-5)


def test_edges_learn_even_if_all_units_are_off():
    torch.manual_seed(9)
    probe = Probe.output("m", Location.EDGE, Type.MASK)
    readout, final = Readout((probe,), H, **FACTS), final_state()
    layers = readout.by_name[probe.name]
    with torch.no_grad():
        layers.of_pair.bias.sub_(1000)
    logits = readout(final)[probe.name]
    assert torch.equal(logits, (SHARPNESS * layers.out.bias).expand_as(logits))
    logits.sum().backward()
    assert layers.of_pair.weight.grad.abs().min() > 0


def test_the_rectifier_of_edges_is_the_usual_one_where_units_are_on():
    total = draw(5, 7).requires_grad_()
    usual = total.detach().clone().requires_grad_()
    torch.testing.assert_close(rectified(total, SLOPE_WHEN_OFF), usual.relu(), rtol=0, atol=0)
    rectified(total, SLOPE_WHEN_OFF).sum().backward()
    usual.relu().sum().backward()
    torch.testing.assert_close(total.grad, torch.where(usual > 0, usual.grad, torch.tensor(SLOPE_WHEN_OFF)))


def test_edge_pointers_look_at_triples():
    layers, final, logits = read(Probe.output("p", Location.EDGE, Type.POINTER), **FACTS)
    x = pairs_of(final)
    for i, j, k in ((0, 1, 2), (3, 0, 1), (2, 2, 2), (1, 3, 3)):
        total = layers.of_pair(x[:, i, j]) + layers.of_first(x[:, i, k]) + layers.of_second(x[:, k, j])
        torch.testing.assert_close(logits[:, i, j, k], SHARPNESS * layers.out(total.relu())[:, 0], rtol=1e-4, atol=1e-5)


def test_nodes_look_at_their_row_and_column():
    layers, final, logits = read(Probe.output("c", Location.NODE, Type.CATEGORICAL, categories=3), **FACTS)
    x = pairs_of(final)
    row, column = layers.of_pair.weight.chunk(2)
    of_row, of_column = layers.of_pair.bias.chunk(2)
    for i in range(N):
        by_row = torch.stack([x[:, i, j] @ row.T + of_row for j in range(N)]).amax(0)
        by_column = torch.stack([x[:, j, i] @ column.T + of_column for j in range(N)]).amax(0)
        seen = torch.cat([x[:, i, i], by_row, by_column], -1)
        expected = SHARPNESS * layers.out(layers.of_node(seen).relu())
        torch.testing.assert_close(logits[:, i], expected, rtol=1e-4, atol=1e-5)


def test_graphs_look_at_all_pairs():
    layers, final, logits = read(Probe.output("g", Location.GRAPH, Type.MASK), **FACTS)
    largest = layers.of_pair(pairs_of(final).flatten(1, 2)).amax(1)
    torch.testing.assert_close(logits, SHARPNESS * layers.out(layers.of_graph(largest).relu())[:, 0])


def test_without_pair_states_the_nodes_of_a_pair_are_seen():
    layers, final, logits = read(Probe.output("p", Location.NODE, Type.POINTER))
    h, edge = final.node[2], final.edge[0]
    forth = torch.cat([h[:, 1], h[:, 3], edge[:, 1, 3]], -1)
    back = torch.cat([h[:, 3], h[:, 1], edge[:, 3, 1]], -1)
    expected = SHARPNESS * layers.out(layers.of_pair(torch.cat([forth, back], -1)).relu())[:, 0]
    torch.testing.assert_close(logits[:, 1, 3], expected, rtol=1e-4, atol=1e-5)


def test_the_last_map_starts_small():
    layers, _, _ = read(Probe.output("p", Location.NODE, Type.POINTER))
    assert layers.out.weight.abs().max() <= 1 / (SHARPNESS * H**0.5)
    assert layers.of_pair.weight.abs().max() > 0.9 / (2 * 3 * H) ** 0.5


@pytest.mark.parametrize("name", algorithms.CLRS_30)
@pytest.mark.parametrize("processor", ["triangle", "mpnn_g"])
def test_logits_of_all_algorithms(name, processor, batch_of):
    batch = batch_of(name)
    settings = {"position": "order", "readout": "pairs", "relations": True, "hidden": 8, "depth": 2}
    model, paper = (models.build(name, processor=processor, **{**settings, **c}) for c in ({}, {"readout": "paper"}))
    with torch.no_grad():
        logits, others = model(batch).outputs, paper(batch).outputs
    assert {key: value.shape for key, value in logits.items()} == {key: value.shape for key, value in others.items()}
    assert all(value.isfinite().all() for value in logits.values())
    loss(model(batch), batch).backward()
    assert all(parameter.grad is not None for parameter in model.parameters())


@pytest.mark.parametrize("relations", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.parametrize("readout", readouts.names())
@pytest.mark.parametrize("position", positions.names())
@pytest.mark.parametrize("processor", PROCESSORS)
def test_everything_goes_with_everything(processor, position, readout, relations, batch_of):
    """Or is refused in one line."""
    settings = {"processor": processor, "position": position, "readout": readout, "relations": relations}
    sees_all = processors.facts(processor).pairs is processors.VisiblePairs.ALL
    if positions.get(position).needs_all_pairs and not sees_all:
        with pytest.raises(UsageError, match=r"^edge_position needs a processor that sees all pairs, such as .*$"):
            models.build("bfs", **settings)
        return
    model = models.build("bfs", hidden=8, depth=2, **settings)
    batch = batch_of("bfs")
    total = loss(model(batch), batch)
    total.backward()
    assert total.isfinite()


@pytest.mark.parametrize("processor", ["triangle", "pivotal_attention", "hybrid_average:mpnn_g+triangle"])
@pytest.mark.parametrize("hints", hint_modes.names())
@pytest.mark.parametrize("name", ["bfs", "floyd_warshall", "kmp_matcher"])
def test_pair_states_with_hints(name, hints, processor, batch_of):
    batch = batch_of(name, hints=True)
    depth = {} if hint_modes.get(hints).needs_hints else {"depth": 2}
    model = models.build(
        name, processor=processor, position="order", readout="pairs", relations=True, hints=hints, hidden=8, **depth
    )
    for training in (True, False):
        assert loss(model.train(training)(batch), batch).isfinite()


@pytest.mark.parametrize("quantiser", quantisers.names())
def test_pair_states_with_quantisers(quantiser, batch_of):
    model = models.build("bfs", processor="triangle", readout="pairs", quantiser=quantiser, hidden=8, depth=2)
    assert loss(model(batch_of("bfs")), batch_of("bfs")).isfinite()


def test_samples_that_end_at_different_steps(batch_of):
    """With a trajectory's depth the readout is asked for some graphs at a time."""
    batch = batch_of("bfs", hints=True)
    batch = replace(batch, lengths=torch.tensor([2, 4, 3]))
    model = models.build(
        "bfs", processor="triangle", readout="pairs", relations=True, position="order", hidden=8, depth="trajectory"
    )
    logits = model(batch).outputs["pi"]
    for b, steps in enumerate((1, 3, 2)):
        fixed = models.build(
            "bfs", processor="triangle", readout="pairs", relations=True, position="order", hidden=8, depth=steps
        )
        fixed.load_state_dict(model.state_dict())
        torch.testing.assert_close(logits[b], fixed(batch).outputs["pi"][b], rtol=1e-4, atol=1e-5)
