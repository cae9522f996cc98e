"""Encoders, decoders and processors against their formulas, written node by node."""

import pytest
import torch
from torch.nn.functional import leaky_relu, one_hot

from narlab import models
from narlab.models import processors
from narlab.models.encoders import EdgeFeatures, Encoders, Features, adjacency
from narlab.models.readouts import FinalState
from narlab.models.readouts.paper import decoder
from narlab.models.topology import Graphs, State
from narlab.specs import Location, Probe, Type

B, N, H = 2, 4, 8


def draw(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def with_biases(module):
    """The module with biases and norms that are not trivial."""
    for k, parameter in enumerate(module.parameters()):
        parameter.data.add_(0.2 * draw(*parameter.shape, seed=100 + k))
    return module


@pytest.fixture
def features():
    edge = EdgeFeatures(draw(B, N, N, 2, seed=1), draw(H, 2, seed=2), draw(H, seed=3))
    return Features(draw(B, N, H, seed=4), edge, draw(B, H, seed=5))


@pytest.fixture
def graphs():
    ring = torch.eye(N) + torch.eye(N).roll(1, 0)
    lone = torch.diag(torch.ones(N))
    lone[0, 1] = 1
    both = torch.stack([ring + ring.T, lone + lone.T]) > 0
    return Graphs(both, given=True)


# Encoders


def encode(probe, value):
    encoders = with_biases(Encoders([probe], H))
    return encoders.maps["x"], encoders, encoders({"x": value}, (B, N))


@pytest.mark.parametrize("type_", [Type.SCALAR, Type.MASK, Type.MASK_ONE])
def test_numbers_of_nodes_edges_and_graphs(type_):
    for location, shape in ((Location.NODE, (B, N)), (Location.EDGE, (B, N, N)), (Location.GRAPH, (B,))):
        value = draw(*shape)
        layer, _, found = encode(Probe.input("x", location, type_), value)
        expected = value[..., None] * layer.weight[:, 0] + layer.bias
        parts = {Location.NODE: found.node, Location.EDGE: found.edge.everywhere, Location.GRAPH: found.graph}
        torch.testing.assert_close(parts.pop(location), expected)
        assert all(part is None or (part == 0).all() for part in parts.values())


def test_categories():
    for location, shape in ((Location.NODE, (B, N, 3)), (Location.EDGE, (B, N, N, 3)), (Location.GRAPH, (B, 3))):
        value = draw(*shape)
        layer, _, found = encode(Probe.input("x", location, Type.CATEGORICAL, categories=3), value)
        parts = {Location.NODE: found.node, Location.EDGE: found.edge.everywhere, Location.GRAPH: found.graph}
        torch.testing.assert_close(parts[location], value @ layer.weight.T + layer.bias)


def test_a_node_pointer_goes_to_pairs():
    """E_ij = W [p_i = j] + b."""
    pointer = torch.tensor([[1, 2, 3, 3], [0, 0, 1, 2]])
    layer, encoders, found = encode(Probe.input("x", Location.NODE, Type.POINTER), pointer)
    for b in range(B):
        for i in range(N):
            for j in range(N):
                expected = layer.weight[:, 0] * float(pointer[b, i] == j) + layer.bias
                torch.testing.assert_close(found.edge.everywhere[b, i, j], expected)
    soft = encoders({"x": one_hot(pointer, N).float()}, (B, N))
    torch.testing.assert_close(soft.edge.everywhere, found.edge.everywhere)


def test_an_edge_pointer_goes_to_pairs_twice():
    """E_jk = mean_i (W1 P_ijk + b1), E_ik += mean_j (W2 P_ijk + b2), where P_ijk = [p_ij = k]."""
    pointer = torch.randint(N, (B, N, N), generator=torch.Generator().manual_seed(0))
    layer, encoders, found = encode(Probe.input("x", Location.EDGE, Type.POINTER), pointer)
    second = encoders.second_maps["x"]
    pointed = one_hot(pointer, N).float()  # [B, i, j, k]
    expected = torch.stack([layer(pointed[:, i, ..., None]) for i in range(N)]).mean(0)
    expected = expected + torch.stack([second(pointed[:, :, j, :, None]) for j in range(N)]).mean(0)
    torch.testing.assert_close(found.edge.everywhere, expected)


def test_features_add_up(features):
    other = Features(features.node * 2, EdgeFeatures(draw(B, N, N, 3), draw(H, 3), draw(H, seed=9)), features.graph * 3)
    both = features + other
    torch.testing.assert_close(both.node, 3 * features.node)
    torch.testing.assert_close(both.graph, 4 * features.graph)
    torch.testing.assert_close(both.edge.everywhere, features.edge.everywhere + other.edge.everywhere)


# Adjacency


def test_what_enters_the_adjacency():
    mask = Probe.input("mask", Location.EDGE, Type.MASK)
    pointer = Probe.input("pointer", Location.NODE, Type.POINTER)
    others = [
        Probe.input("scalar", Location.EDGE, Type.SCALAR),
        Probe.input("flags", Location.NODE, Type.MASK),
        Probe.input("far", Location.EDGE, Type.POINTER),
    ]
    values = {
        "mask": torch.tensor([[[0, 1, 0], [0, 0, -1], [0, -1, 0]]]).float(),
        "pointer": torch.tensor([[0, 1, 0]]),
        "scalar": torch.ones(1, 3, 3),
        "flags": torch.ones(1, 3),
        "far": torch.ones(1, 3, 3, dtype=torch.int64),
    }
    assert adjacency(others, values, 3) is None
    assert adjacency([mask, *others], values, 3).int().tolist() == [[[0, 1, 0], [1, 0, 0], [0, 0, 0]]]
    assert adjacency([pointer], values, 3).int().tolist() == [[[1, 0, 1], [0, 1, 0], [1, 0, 0]]]
    assert adjacency([mask, pointer], values, 3).int().tolist() == [[[1, 1, 1], [1, 1, 0], [1, 0, 0]]]


def adjacencies(model, batch):
    """The adjacency of each time that the processor prepares."""
    seen = []
    model.uses_kernels = False
    prepare = model.processor.prepare
    model.processor.prepare = lambda features, topology: seen.append(topology.graphs) or prepare(features, topology)
    model(batch)
    return seen


def test_the_adjacency_grows_with_the_hints(batch_of):
    """insertion_sort has no graph; its hint pred_h points from each node to the one before it."""
    batch = batch_of("insertion_sort", n=5, hints=True)
    (alone,) = adjacencies(models.build("insertion_sort", processor="pgn", hidden=H, depth=2), batch)
    assert not alone.given
    assert torch.equal(alone.adjacency, torch.eye(5, dtype=torch.bool).expand(3, 5, 5))
    model = models.build("insertion_sort", processor="pgn", hidden=H, hints="encoded_decoded").train()
    steps = adjacencies(model, batch)[1:]
    assert len(steps) == 4
    for t, seen in enumerate(steps):
        pointed = one_hot(batch.hints["pred_h"][:, t], 5).bool()
        assert torch.equal(seen.adjacency, pointed | pointed.transpose(1, 2) | torch.eye(5, dtype=torch.bool))


# Decoders


@pytest.fixture
def read(features):
    """What decoders read, and the same in one piece: nodes [B, N, 3H], pairs [B, N, N, 3H]."""
    before = State(draw(B, N, H, seed=6), draw(B, N, N, H, seed=7))
    after = State(draw(B, N, H, seed=8), draw(B, N, N, H, seed=9))
    node = torch.cat([features.node, before.h, after.h], -1)
    edge = torch.cat([features.edge.everywhere, before.e, after.e], -1)
    return FinalState(features, before, after), node, edge


@pytest.mark.parametrize("categories", [0, 3])
def test_node_decoder(read, categories):
    readout, node, _ = read
    made = with_biases(decoder(kind(Location.NODE, categories), H))
    torch.testing.assert_close(made(readout), made.of_node(node))


@pytest.mark.parametrize("categories", [0, 3])
def test_edge_decoder(read, categories):
    readout, node, edge = read
    made = with_biases(decoder(kind(Location.EDGE, categories), H))
    for i in range(N):
        for j in range(N):
            expected = made.of_first(node[:, i]) + made.of_second(node[:, j]) + made.of_edge(edge[:, i, j])
            torch.testing.assert_close(made(readout)[:, i, j], expected)


@pytest.mark.parametrize("categories", [0, 3])
def test_graph_decoder(read, categories, features):
    readout, node, _ = read
    made = with_biases(decoder(kind(Location.GRAPH, categories), H))
    torch.testing.assert_close(made(readout), made.of_node(node.amax(1)) + made.of_graph(features.graph))


def kind(location, categories):
    return Probe.output("x", location, Type.CATEGORICAL if categories else Type.MASK, categories=categories)


def test_node_pointer_decoder(read):
    readout, node, edge = read
    made = with_biases(decoder(Probe.output("x", Location.NODE, Type.POINTER), H))
    for i in range(N):
        for j in range(N):
            target = made.of_target(node[:, j]) + made.of_edge(edge[:, j, i])
            expected = made.out(torch.maximum(made.of_node(node[:, i]), target))[:, 0]
            torch.testing.assert_close(made(readout)[:, i, j], expected)


def test_edge_pointer_decoder(read):
    readout, node, edge = read
    made = with_biases(decoder(Probe.output("x", Location.EDGE, Type.POINTER), H))
    for i in range(N):
        for j in range(N):
            pair = made.of_first(node[:, i]) + made.of_second(node[:, j]) + made.of_edge(edge[:, i, j])
            for k in range(N):
                expected = made.out(torch.maximum(pair, made.of_target(node[:, k])))[:, 0]
                torch.testing.assert_close(made(readout)[:, i, j, k], expected)


def test_decoders_read_zeros_where_there_is_no_edge_state(read, features):
    made = with_biases(decoder(Probe.output("x", Location.EDGE, Type.MASK), H))
    h = draw(B, N, H)
    zeros = State(h, torch.zeros(B, N, N, H))
    torch.testing.assert_close(made(FinalState(features, State(h), State(h))), made(FinalState(features, zeros, zeros)))


# Processors


def step(processor, state, features, graphs):
    return processor.step(state, processor.prepare(features, graphs.topology(processor.pairs)))


@pytest.fixture
def state():
    return State(draw(B, N, H, seed=11), draw(B, N, N, H, seed=12))


@pytest.mark.parametrize("name", ["mpnn_fc", "mpnn_g", "pgn"])
def test_message_passing(name, features, graphs, state):
    processor = with_biases(processors.make(name, H))
    found = step(processor, state, features, graphs)
    z = torch.cat([features.node, state.h], -1)  # [B, N, 2H]
    seen = torch.ones_like(graphs.adjacency) if name == "mpnn_fc" else graphs.adjacency
    for b in range(B):
        for j in range(N):
            messages = []
            for i in range(N):
                pair = processor.of_receiver(z[b, j]) + processor.of_sender(z[b, i])
                pair = pair + processor.of_edge(features.edge.everywhere[b, i, j])
                pair = pair + processor.of_graph(features.graph[b])
                if seen[b, i, j]:
                    messages.append(processor.message_mlp(pair.relu()))
            inbox = torch.stack(messages).amax(0)
            expected = processor.norm((processor.of_own(z[b, j]) + processor.of_inbox(inbox)).relu())
            torch.testing.assert_close(found.h[b, j], expected)
    assert found.e is state.e


def test_gat(features, graphs, state):
    processor = with_biases(processors.make("gat", H))
    found = step(processor, state, features, graphs)
    z = torch.cat([features.node, state.h], -1)
    for b in range(B):
        for i in range(N):
            logits, values = [], []
            for j in range(N):
                if graphs.adjacency[b, i, j]:
                    logit = processor.of_receiver(z[b, i]) + processor.of_sender(z[b, j])
                    logit = logit + processor.of_edge(features.edge.everywhere[b, i, j])
                    logit = logit + processor.of_graph(features.graph[b])
                    logits.append(leaky_relu(logit, 0.01)[0])
                    values.append(processor.of_value(z[b, j]))
            heard = torch.stack(logits).softmax(0) @ torch.stack(values)
            torch.testing.assert_close(found.h[b, i], processor.norm((heard + processor.of_own(z[b, i])).relu()))
    assert found.e is state.e


@pytest.mark.parametrize("parts", [("mpnn_g", "two_wl"), ("two_wl", "mpnn_fc"), ("two_wl", "two_wl"), ("gat", "pgn")])
@pytest.mark.parametrize("name", ["hybrid_average", "hybrid_sigmoid"])
def test_hybrids(name, parts, features, graphs, state):
    """Each part on the pairs that it is made for, then shares of both; the gate of an edge is its first node's."""
    processor = with_biases(processors.make(f"{name}:{'+'.join(parts)}", H))
    found = step(processor, state, features, graphs)
    first, second = (step(part, state, features, graphs) for part in (processor.first, processor.second))
    for b in range(B):
        for i in range(N):
            share = 0.5 if name == "hybrid_average" else processor.gate(state.h[b, i]).sigmoid()
            expected = share * first.h[b, i] + (1 - share) * second.h[b, i]
            torch.testing.assert_close(found.h[b, i], expected)
            for j in range(N):
                expected = share * first.e[b, i, j] + (1 - share) * second.e[b, i, j]
                torch.testing.assert_close(found.e[b, i, j], expected)


@pytest.mark.parametrize("name", ["hybrid_average", "hybrid_sigmoid", "mpnn_g", "gat", "two_wl"])
def test_no_edge_state_is_an_edge_state_of_zeros(name, features, graphs, state):
    processor = with_biases(processors.make(name, H))
    nothing = step(processor, State(state.h), features, graphs)
    zeros = step(processor, State(state.h, torch.zeros_like(state.e)), features, graphs)
    torch.testing.assert_close(nothing.h, zeros.h)
    if nothing.e is not None:
        torch.testing.assert_close(nothing.e, zeros.e)


def test_hybrids_of_parts_without_edge_states_have_none(features, graphs, state):
    processor = processors.make("hybrid_average:mpnn_g+gat", H)
    assert step(processor, State(state.h), features, graphs).e is None
