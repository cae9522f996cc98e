"""What must not matter does not: names of nodes, the form of a topology, the other graphs of a batch, their size."""

import math
from dataclasses import replace

import pytest
import torch
from torch.nn.functional import gelu

from narlab import algorithms, models
from narlab.models import processors
from narlab.models.encoders import EdgeFeatures, Features
from narlab.models.processors._pair_attention import HEADS
from narlab.models.topology import Graphs, State, VisiblePairs
from narlab.specs import Location, Type

PROCESSORS = (
    *processors.names(),
    "hybrid_average:mpnn_g+mpnn_g",
    "hybrid_sigmoid:two_wl+two_wl",
    "hybrid_average:mpnn_fc+two_wl",
)
EACH = [  # one that has a kernel of its own is slow to compile
    pytest.param(name, marks=pytest.mark.slow if name == "hybrid_average:mpnn_g+mpnn_g" else []) for name in PROCESSORS
]
ALGORITHMS = (  # every location and type of output
    "articulation_points",  # node mask
    "bfs",  # node pointer
    "bridges",  # edge mask
    "floyd_warshall",  # edge pointer
    "lcs_length",  # edge categorical
    "minimum",  # node mask_one
    "segments_intersect",  # graph mask
)
PAIR_ATTENTION = ("two_wl", "two_wl_all_pairs")
HIDDEN = 8


def assert_close(ours, others):
    torch.testing.assert_close(ours, others, rtol=1e-4, atol=2e-5)


def build(algorithm, processor, **settings):
    torch.manual_seed(7)
    depth = {} if "hints" in settings else {"depth": 3}
    return models.build(algorithm, processor=processor, hidden=HIDDEN, **depth, **settings)


# Nodes have no names


def relabelled(probe, values, order, *, axis=1, logits=False):
    """What a probe's values become if the node `order[k]` is now called k."""
    if probe.location is not Location.GRAPH:
        values = values.index_select(axis, order)
    if probe.location is Location.EDGE:
        values = values.index_select(axis + 1, order)
    if probe.type is Type.POINTER:
        return values.index_select(-1, order) if logits else order.argsort()[values]
    return values


def relabelled_batch(batch, order):
    algorithm = algorithms.get(batch.algorithm)
    hints = batch.hints
    if hints is not None:
        hints = {probe.name: relabelled(probe, hints[probe.name], order, axis=2) for probe in algorithm.hints}
    return replace(
        batch,
        inputs={probe.name: relabelled(probe, batch.inputs[probe.name], order) for probe in algorithm.inputs},
        hints=hints,
        random_features=batch.random_features[:, order],
        random_pos=batch.random_pos[:, order],
    )


@pytest.mark.parametrize("training", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("processor", EACH)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_relabelling_nodes_relabels_outputs(name, processor, training, batch_of):
    batch = batch_of(name)
    order = torch.randperm(batch.size[1], generator=torch.Generator().manual_seed(3))
    model = build(name, processor).train(training)
    with torch.no_grad():
        logits = model(batch).outputs
        others = model(relabelled_batch(batch, order)).outputs
    for probe in algorithms.get(name).outputs:
        assert_close(others[probe.name], relabelled(probe, logits[probe.name], order, logits=True))


@pytest.mark.parametrize(
    ("processor", "position"),
    [("triangle", "order"), ("pivotal_attention", "order"), ("pivotal_attention", "scalar"), ("mpnn_fc", "scalar")],
)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_relabelling_nodes_relabels_outputs_of_pairs(name, processor, position, batch_of):
    """With relations and the readout of pairs; the order of the nodes is that of `pos`, which moves with them.

    Triangle takes signs: without an order, where (i, j) and (j, i) are alike, they would be those of a rounding.
    """
    batch = batch_of(name)
    order = torch.randperm(batch.size[1], generator=torch.Generator().manual_seed(3))
    model = build(name, processor, position=position, readout="pairs", relations=True)
    with torch.no_grad():
        logits = model(batch).outputs
        others = model(relabelled_batch(batch, order)).outputs
    for probe in algorithms.get(name).outputs:
        assert_close(others[probe.name], relabelled(probe, logits[probe.name], order, logits=True))


def test_the_algorithms_above_cover_every_kind_of_output():
    def kinds(names):
        return {(probe.location, probe.type) for name in names for probe in algorithms.get(name).outputs}

    assert kinds(ALGORITHMS) == kinds(algorithms.CLRS_30)


@pytest.mark.parametrize("processor", ["gat", "mpnn_fc", "two_wl"])
@pytest.mark.parametrize(
    ("name", "own"), [("bfs", None), ("floyd_warshall", None), ("heapsort", None), ("bellman_ford", "d")]
)
def test_relabelling_nodes_relabels_hints(name, own, processor, batch_of):
    """With true hints; with the model's own only numbers, since of equal pointers the first is taken."""
    batch = batch_of(name, hints=True)
    order = torch.tensor([2, 0, 4, 3, 5, 1])
    model = build(name, processor, hints="encoded_decoded", hint_names=own and (own,)).train(own is None)
    with torch.no_grad():
        logits = model(batch).hints
        others = model(relabelled_batch(batch, order)).hints
    for probe in model.hints:
        assert_close(others[probe.name], relabelled(probe, logits[probe.name], order, axis=2, logits=True))


# A topology is a form, not a meaning


def random_features(graphs=3, nodes=5, seed=0):
    """Random features of every kind; pairs have two numbers each."""
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape):
        return torch.randn(shape, generator=generator)

    edge = EdgeFeatures(draw(graphs, nodes, nodes, 2), draw(HIDDEN, 2), draw(HIDDEN))
    return Features(draw(graphs, nodes, HIDDEN), edge, draw(graphs, HIDDEN))


def random_adjacency(graphs=3, nodes=5, seed=0):
    drawn = torch.rand(graphs, nodes, nodes, generator=torch.Generator().manual_seed(seed)) < 0.25
    return drawn | drawn.transpose(1, 2) | torch.eye(nodes, dtype=torch.bool)


def rollout(processor, features, topology, steps=3):
    """States after each of some steps from zero."""
    prepared = processor.prepare(features, topology)
    states = [State(torch.zeros_like(features.node))]
    for _ in range(steps):
        states.append(processor.step(states[-1], prepared))
    return states[1:]


@pytest.mark.parametrize("processor", [*EACH, "hybrid_sigmoid:gat+pgn"])
def test_edges_of_a_complete_graph_are_all_pairs(processor):
    torch.manual_seed(1)
    made = processors.make(processor, HIDDEN)
    complete = torch.ones(3, 5, 5, dtype=torch.bool)
    features = random_features()
    with torch.no_grad():
        sparse = rollout(made, features, Graphs(complete, given=True).edges)
        dense = rollout(made, features, Graphs(complete, given=False).all_pairs)
    for ours, others in zip(sparse, dense, strict=True):
        assert_close(ours.h, others.h)
        assert (ours.e is None) == (others.e is None)
        if ours.e is not None:
            assert_close(ours.e, others.e)


@pytest.mark.parametrize("processor", ["mpnn_g", "pgn"])
def test_message_passing_on_complete_graphs_is_mpnn_fc(processor, batch_of):
    batch = batch_of("bfs", n=6, graphs="er:p=1.0")
    assert (batch.inputs["adj"] == 1).all()
    sparse, dense = build("bfs", processor), build("bfs", "mpnn_fc")
    dense.load_state_dict(sparse.state_dict())
    with torch.no_grad():
        assert_close(sparse(batch).outputs["pi"], dense(batch).outputs["pi"])


def test_what_each_processor_sees():
    graphs, nothing = Graphs(random_adjacency(), given=True), Graphs(random_adjacency(), given=False)
    assert graphs.topology(VisiblePairs.ALL).mask is None
    assert graphs.topology(VisiblePairs.GRAPH).mask is graphs.adjacency
    assert nothing.topology(VisiblePairs.GRAPH).mask is None
    assert nothing.topology(VisiblePairs.ADJACENCY).mask is nothing.adjacency
    seen = {name: processors.make(name, HIDDEN).pairs for name in PROCESSORS}
    assert [name for name, pairs in seen.items() if pairs is VisiblePairs.ALL] == [
        "mpnn_fc",
        "pivotal_attention",
        "triangle",
    ]
    assert [name for name, pairs in seen.items() if pairs is VisiblePairs.ADJACENCY] == ["gat", "pgn"]


def test_edges_hear_only_their_neighbours():
    """By hand: the graph 0 - 1, 2; max, softmax and sum over what sends to each node."""
    adjacency = torch.tensor([[[1, 1, 0], [1, 1, 0], [0, 0, 1]]], dtype=torch.bool)
    edges = Graphs(adjacency, given=True).edges
    _, sender, receiver = edges.index
    assert list(zip(sender.tolist(), receiver.tolist(), strict=True)) == [(0, 0), (1, 0), (0, 1), (1, 1), (2, 2)]
    message = torch.full((1, 3, 3, 1), 99.0)
    message[0, sender, receiver, 0] = torch.tensor([1.0, 5.0, 3.0, -2.0, -7.0])
    assert edges.max_to_receiver(message).flatten().tolist() == [5.0, 3.0, -7.0]
    logits = torch.full((1, 3, 3, 1), 99.0)
    logits[0, sender, receiver, 0] = torch.tensor([0.0, math.log(3.0), 0.0, 0.0, 100.0])
    weights = edges.softmax_at_receiver(logits)
    torch.testing.assert_close(weights[0, sender, receiver, 0], torch.tensor([0.25, 0.75, 0.5, 0.5, 1.0]))
    heard = edges.sum_to_receiver(weights, torch.tensor([[[4.0], [8.0], [9.0]]]))
    torch.testing.assert_close(heard.flatten(), torch.tensor([7.0, 6.0, 9.0]))


def test_nodes_that_no_path_joins_do_not_hear_each_other(batch_of):
    """On the graph 0 - 1, 2 - 3 a change at node 0 reaches 1 alone; over all pairs it reaches everybody."""
    batch = batch_of("bfs", n=4, count=1)
    adjacency = torch.eye(4) + torch.eye(4)[[1, 0, 3, 2]]
    batch.inputs["A"].copy_(adjacency - torch.eye(4))
    batch.inputs["adj"].copy_(adjacency)
    features = batch.random_features.clone()
    features[:, 0] += 1.0
    other = replace(batch, random_features=features)
    for processor in PROCESSORS:
        made = build("bfs", processor)
        readouts = []
        made.decoders.forward = lambda read, kept=readouts: kept.append(read.node[2]) or {}
        with torch.no_grad():
            made(batch), made(other)
        moved = (readouts[0] - readouts[1]).abs().amax((0, 2)) > 1e-6
        everybody = processor in ("mpnn_fc", "pivotal_attention", "triangle", "hybrid_average:mpnn_fc+two_wl")
        assert moved.tolist() == [True, True, everybody, everybody], processor


# Attention along lines is attention


def naive_step(layer, state, features, adjacency, *, non_edges_are_tokens):
    """One step of 2WL with a matrix of N^2 x N^2 logits, token by token as the definition says."""
    graphs, nodes, hidden = features.node.shape
    whole = (graphs, nodes, nodes, hidden)
    first = features.node[:, :, None].expand(whole)
    second = features.node[:, None].expand(whole)
    graph = features.graph[:, None, None].expand(whole)
    token = torch.cat([first, second, graph, features.edge.everywhere, state.e], -1)  # [B, N, N, 5H]
    x = layer.of_token(token).flatten(1, 2)  # [B, N * N, H]
    end = torch.cartesian_prod(torch.arange(nodes), torch.arange(nodes))  # [N * N, 2]
    share = (end[:, None, :, None] == end[None, :, None, :]).any(-1).any(-1)  # [N * N, N * N]
    is_edge = adjacency.flatten(1)  # [B, N * N]
    logits_seen = share & is_edge[:, None, :] & is_edge[:, :, None]
    normed = layer.norm_1(x)
    query, key, value = (
        each(normed).unflatten(-1, (HEADS, hidden)).transpose(1, 2) for each in (layer.query, layer.key, layer.value)
    )
    logits = query @ key.transpose(-1, -2) / math.sqrt(hidden)
    logits = torch.where(logits_seen[:, None], logits, torch.tensor(-1e30))  # nothing seen: uniform over all tokens
    heard = (logits.softmax(-1) @ value).transpose(1, 2).flatten(2)
    x = x + layer.out(heard)
    x = x + layer.mlp_out(gelu(layer.mlp_in(layer.norm_2(x)), approximate="tanh"))
    if not non_edges_are_tokens:
        x = x * is_edge[..., None]
    e = x.unflatten(1, (nodes, nodes))
    return State(h=torch.stack([e[:, i, i] for i in range(nodes)], 1), e=e)


@pytest.mark.parametrize("has_graph", [True, False])
@pytest.mark.parametrize("processor", PAIR_ATTENTION)
def test_attention_along_lines_is_masked_attention(processor, has_graph):
    torch.manual_seed(2)
    layer = processors.make(processor, HIDDEN)
    for parameter in layer.parameters():  # biases and norms that are not trivial
        parameter.data.add_(0.1 * torch.randn_like(parameter))
    features = random_features()
    adjacency = random_adjacency() if has_graph else torch.ones(3, 5, 5, dtype=torch.bool)
    assert not has_graph or not adjacency.all()
    topology = Graphs(adjacency, given=has_graph).topology(layer.pairs)
    state = State(torch.zeros(3, 5, HIDDEN), torch.zeros(3, 5, 5, HIDDEN))
    with torch.no_grad():
        for ours in rollout(layer, features, topology, steps=3):
            non_edges_are_tokens = processor == "two_wl_all_pairs"
            state = naive_step(layer, state, features, adjacency, non_edges_are_tokens=non_edges_are_tokens)
            assert_close(ours.e, state.e)
            assert_close(ours.h, state.h)


@pytest.mark.parametrize("name", ["minimum", "lcs_length", "segments_intersect"])
def test_both_forms_of_2wl_agree_without_a_graph(name, batch_of):
    batch = batch_of(name)
    one, other = (build(name, processor) for processor in PAIR_ATTENTION)
    other.load_state_dict(one.state_dict())
    with torch.no_grad():
        for output, logits in one(batch).outputs.items():
            assert_close(logits, other(batch).outputs[output])


def test_both_forms_of_2wl_differ_on_a_graph():
    one, other = (processors.make(processor, HIDDEN) for processor in PAIR_ATTENTION)
    other.load_state_dict(one.state_dict())
    adjacency, features = random_adjacency(), random_features()
    topology = Graphs(adjacency, given=True).edges
    with torch.no_grad():
        of_edges, of_all = (rollout(each, features, topology)[-1].e for each in (one, other))
    assert (of_edges[~adjacency] == 0).all()
    assert (of_all[~adjacency].abs().amax(-1) > 0).all()
    assert_close(of_edges[adjacency], of_all[adjacency])  # no edge hears what is none


def test_what_is_read_of_both_forms_differs_on_a_graph(batch_of):
    batch = batch_of("bfs")
    one, other = (build("bfs", processor) for processor in PAIR_ATTENTION)
    other.load_state_dict(one.state_dict())
    with torch.no_grad():
        assert (one(batch).outputs["pi"] - other(batch).outputs["pi"]).abs().max() > 1e-3


# The other graphs of a batch


def part_of(batch, chosen):
    def take(tensors):
        return None if tensors is None else {name: tensor[chosen] for name, tensor in tensors.items()}

    return replace(
        batch,
        inputs=take(batch.inputs),
        outputs=take(batch.outputs),
        hints=take(batch.hints),
        lengths=batch.lengths[chosen],
        random_features=batch.random_features[chosen],
        random_pos=batch.random_pos[chosen],
    )


@pytest.mark.parametrize("processor", EACH)
@pytest.mark.parametrize("name", ["bridges", "floyd_warshall", "minimum", "segments_intersect"])
def test_other_graphs_of_the_batch_do_not_matter(name, processor, batch_of):
    batch = batch_of(name, count=4)
    model = build(name, processor)
    with torch.no_grad():
        together = model(batch).outputs
        for b in range(4):
            for output, logits in model(part_of(batch, slice(b, b + 1))).outputs.items():
                assert_close(logits, together[output][b : b + 1])


@pytest.mark.parametrize("hints", ["encoded_decoded", "decoded_only", "markovian", "update_mask"])
def test_other_graphs_of_the_batch_do_not_matter_with_hints(hints, batch_of):
    """Even where they run for longer. (Of the model's own hints only a mask: of equal pointers the first is taken.)"""
    batch = batch_of("bfs", count=6, n=8, hints=True)
    assert len(set(batch.lengths.tolist())) > 1
    for training in (True, False):
        model = build("bfs", "pgn", hints=hints, hint_names=None if training else ("reach_h",)).train(training)
        with torch.no_grad():
            together = model(batch).outputs["pi"]
            for b in range(6):
                assert_close(model(part_of(batch, slice(b, b + 1))).outputs["pi"], together[b : b + 1])


# Sizes


@pytest.mark.parametrize("processor", EACH)
def test_one_model_runs_on_every_size(processor, batch_of):
    model = build("bfs", processor)
    with torch.no_grad():
        for n in (2, 5, 16, 64):
            logits = model(batch_of("bfs", n=n, count=1)).outputs["pi"]
            assert logits.shape == (1, n, n)
            assert logits.isfinite().all()
