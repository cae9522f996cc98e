"""Features of pairs: what their formulas say, the same by kernels, and by every door."""

from dataclasses import replace

import networkx
import numpy as np
import pytest
import torch
from scipy.spatial import ConvexHull

from narlab import Run, algorithms, data, models
from narlab.common.errors import UsageError
from narlab.models import pair_features
from narlab.models.pair_features import AbstractPairFeatures, PairInputs, areas, intervals, potentials, resistances
from narlab.specs import Location
from narlab.training.environment import from_outside

NAMES = ("areas", "intervals", "potentials", "resistances")
OUTPUTS, GRADIENTS = 1e-5, 1e-4  # relative
SMALL = 1e-3  # of the largest gradient


class Distances(AbstractPairFeatures):
    """Pair features from outside: how far two nodes are from each other in their order."""

    width = 1

    def __init__(self, fan_in):
        super().__init__()

    def forward(self, inputs):
        rank = inputs.before.sum(1)  # how many are before a node
        return (rank[:, None] - rank[:, :, None])[..., None]


def new_model(algorithm, **settings):
    torch.manual_seed(3)
    usual = {"processor": "triangle", "position": "order", "readout": "pairs", "relations": True, "depth": 2}
    model = models.build(algorithm, **{**usual, "pair_features": NAMES, **settings})
    torch.nn.init.normal_(model.pair_features.share, std=0.1)  # they begin without a say
    return model


def in_order(count, nodes):
    """Whether i is before j."""
    return torch.ones(nodes, nodes).triu(1).expand(count, nodes, nodes)


def outcome(model, batch, *, kernels):
    """The features of all pairs, and all gradients of a sum with weights that differ from number to number."""
    model.zero_grad()
    made = model.features_of(batch, kernels=kernels).edge.raw
    (made * torch.randn(made.shape, generator=torch.Generator().manual_seed(1))).sum().backward()
    return made, {name: weights.grad for name, weights in model.named_parameters() if weights.grad is not None}


def distance(ours, others):
    return ((ours - others).norm() / others.norm().clamp_min(1e-9)).item()


def test_the_folder_has_these():
    assert pair_features.names() == NAMES


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_kernels_give_what_the_plain_way_gives(name, batch_of):
    """Where areas are equal a rounding says whose the gradient is, so they are for tasks with coordinates alone."""
    has_coordinates = name in ("graham_scan", "jarvis_march", "segments_intersect")
    model = new_model(name, pair_features=["potentials", *(["areas"] if has_coordinates else [])])
    batch = batch_of(name, n=9)
    (made, gradients), (plain, plain_gradients) = (outcome(model, batch, kernels=kernels) for kernels in (True, False))
    torch.testing.assert_close(made, plain, rtol=OUTPUTS, atol=64 * 1e-6)  # of a rounding 64 times as much is seen
    largest = max(gradient.norm() for gradient in plain_gradients.values())
    for weights, gradient in plain_gradients.items():
        if gradient.norm() > SMALL * largest:  # the others are rounding
            assert distance(gradients[weights], gradient) < GRADIENTS, weights


@pytest.mark.parametrize("nodes", [1, 2, 17])
def test_kernels_work_at_any_size(nodes):
    torch.manual_seed(nodes)
    for name in NAMES:
        part, values = pair_features.get(name)(8), torch.randn(2, nodes, nodes, 8, requires_grad=True)
        made = [part(PairInputs(values, in_order(2, nodes), kernels)) for kernels in (True, False)]
        assert made[0].shape == (2, nodes, nodes, part.width)
        torch.testing.assert_close(*made, rtol=OUTPUTS, atol=1e-4)  # of a rounding 64 times as much is seen
        weights = torch.randn(made[0].shape)
        ours, others = (torch.autograd.grad((each * weights).sum(), values)[0] for each in made)
        torch.testing.assert_close(ours, others, rtol=GRADIENTS, atol=1e-4)


def test_gaps_of_potentials_are_zero_on_shortest_paths():
    """With the benchmark's weights as costs the pairs without a gap are the parents that Bellman and Ford find."""
    samples = data.custom("bellman_ford", n=12, count=8)[:8]
    weights, adjacency, source = (torch.from_numpy(samples.inputs[name]).float() for name in ("A", "adj", "s"))
    part = potentials.PairFeatures(3)
    with torch.no_grad():
        for layer in (part.of_pair, part.of_node):
            layer.weight.zero_()
            layer.bias.zero_()
        part.of_pair.weight[0] = torch.tensor([0.25, -25.0, 0.0])  # 4 of it: w, and 100 where there is no edge
        part.of_pair.bias[0] = 25.0
        part.of_node.weight[0, 2], part.of_node.bias[0] = 25.0, -25.0  # 0 at the source, else -100
        marks = torch.diag_embed(source)
        made = part(PairInputs(torch.stack([weights, adjacency, marks], -1), in_order(8, 12)))
    gap = made[..., 0] - 10 * (adjacency == 0).float() - 10 * torch.eye(12)  # a node is no parent of itself
    assert (made[..., 0] < 1e-5).all()
    parents, found = torch.from_numpy(samples.outputs["pi"]), gap.argmax(1)
    reached = (torch.arange(12) != parents) & (source == 0)
    assert reached.sum() > 40
    assert (found == parents)[reached].all()
    assert (gap.amax(1)[reached] > -1e-5).all()


def test_half_of_the_marks_begin_turned_around():
    """Whatever the seed, some channel begins with higher marks at a source than elsewhere."""
    torch.manual_seed(3)
    part = potentials.PairFeatures(5)
    marks = part.of_node(torch.randn(7, 5)).unflatten(-1, (2, 2, -1))  # of costs and of widths
    torch.testing.assert_close(marks[:, :, 0], -marks[:, :, 1])
    assert not torch.allclose(marks[:, 0], marks[:, 1])


def test_intervals_know_the_largest_sum():
    """With the keys as values the pair without a gap is what Kadane's algorithm finds."""
    samples = data.custom("find_maximum_subarray_kadane", n=20, count=16)[:16]
    key = torch.from_numpy(samples.inputs["key"]).float()
    part = intervals.PairFeatures(1)
    with torch.no_grad():
        part.of_node.weight.zero_()
        part.of_node.bias.zero_()
        part.of_node.weight[0] = 0.25
        made = part(PairInputs(torch.diag_embed(key)[..., None], in_order(16, 20)))
    best = made[..., intervals.CHANNELS].flatten(1).argmax(1)
    assert (best // 20 == torch.from_numpy(samples.outputs["start"]).argmax(1)).all()
    assert (best % 20 == torch.from_numpy(samples.outputs["end"]).argmax(1)).all()
    sums = np.array([[key[0, i : j + 1].sum() if i <= j else 0.0 for j in range(20)] for i in range(20)])
    np.testing.assert_allclose(made[0, ..., 0].numpy(), sums / np.abs(sums).max(), atol=1e-5)


def test_intervals_lie_within_a_string():
    before = torch.tensor([[[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]]).float()
    made = intervals.PairFeatures(2)(PairInputs(torch.randn(1, 4, 4, 2), before))
    share, gap = made[0, ..., 0], made[0, ..., intervals.CHANNELS]
    assert (share[:2, 2:] == 0).all()
    assert (gap[:2, 2:] == -pair_features.FAR).all()


def test_areas_are_zero_on_the_hull():
    """With differences of coordinates, against SciPy's convex hull."""
    torch.manual_seed(5)
    points = torch.rand(1, 30, 2, dtype=torch.float64).float()
    part = areas.PairFeatures(2)
    with torch.no_grad():
        part.of_pair.weight.zero_()
        part.of_pair.weight[0, 0] = part.of_pair.weight[areas.CHANNELS, 1] = 0.25
        made = part(PairInputs(points[:, None] - points[:, :, None], in_order(1, 30)))[0, ..., 0]
    assert (made >= 0).all()
    edges = {frozenset(edge) for edge in ConvexHull(points[0].numpy()).simplices.tolist()}
    found = {frozenset(pair) for pair in (made < 1e-6).nonzero().tolist() if pair[0] != pair[1]}
    assert found == edges


@pytest.mark.parametrize("p", [0.05, 0.12, 0.3])
def test_resistances_know_the_bridges(p):
    """With edges as conductances, against networkx; graphs may have several components."""
    part = resistances.PairFeatures(1)
    with torch.no_grad():
        part.of_pair.weight.fill_(1.0)
        part.of_pair.bias.zero_()
    bridges = 0
    for seed in range(10):
        graph = networkx.gnp_random_graph(20, p, seed=seed)
        edges = torch.from_numpy(networkx.to_numpy_array(graph)).float()
        gap = part(PairInputs(edges[None, ..., None], in_order(1, 20)))[0, ..., 0]
        assert (gap[edges == 0] == 1).all()
        found = {frozenset(pair) for pair in ((gap < 1e-3) & (edges > 0)).nonzero().tolist()}
        assert found == set(map(frozenset, networkx.bridges(graph)))
        bridges += len(found)
    assert bridges > 0


def test_resistances_know_the_bridges_whatever_is_learned():
    """Two communities that one edge joins, with the weights that a model begins with; were all pairs to conduct, they
    would know nothing yet."""
    torch.manual_seed(0)
    part = resistances.PairFeatures(1)
    graphs = data.custom("bridges", n=40, count=4, graphs="two_communities:p=0.3")
    edges = torch.from_numpy(graphs.inputs["A"]).float()
    bridges = (torch.from_numpy(graphs.outputs["is_bridge"]) > 0) & (edges > 0)
    others = (edges > 0) & ~bridges & ~torch.eye(40, dtype=torch.bool)
    values, before = edges[..., None], in_order(4, 40)
    gap = part(PairInputs(values, before, edges=edges > 0))[..., 0]
    assert bridges.any()
    assert gap[bridges].max() < 1e-3 < gap[others].min()
    assert part(PairInputs(values, before))[..., 0][bridges].min() > 0.5


def test_the_inverse_also_in_an_exported_program(monkeypatch):
    matrix = torch.randn(2, 3, 7, 7, dtype=torch.float64)
    matrix = matrix @ matrix.transpose(2, 3) + torch.eye(7)
    expected = torch.linalg.inv(matrix)
    torch.testing.assert_close(resistances.inverse_of(matrix), expected)
    assert resistances.inverse_of(torch.full((1, 3, 3), torch.nan)).isnan().all()
    monkeypatch.setattr(resistances, "is_exporting", lambda: True)
    torch.testing.assert_close(resistances.inverse_of(matrix), expected)


@pytest.mark.parametrize("processor", ["mpnn_g", "two_wl", "pivotal_attention"])
def test_other_processors_and_the_papers_readout_see_them(processor, batch_of):
    batch = batch_of("bellman_ford")
    model = new_model("bellman_ford", processor=processor, readout="paper")
    logits = model(batch).outputs["pi"]
    with torch.no_grad():
        model.pair_features.share.zero_()
    assert not torch.allclose(logits, model(batch).outputs["pi"])


@pytest.mark.parametrize(
    "name", ["bellman_ford", "find_maximum_subarray_kadane", "graham_scan", "naive_string_matcher"]
)
def test_relabelling_nodes_relabels_them(name, batch_of):
    """The order of the nodes is that of `pos`, which moves with them."""
    batch, model = batch_of(name), new_model(name)
    order = torch.randperm(batch.size[1], generator=torch.Generator().manual_seed(3))
    inputs = {probe.name: relabelled(probe, batch.inputs[probe.name], order) for probe in algorithms.get(name).inputs}
    with torch.no_grad():
        features, others = (model.features_of(each).edge.raw for each in (batch, replace(batch, inputs=inputs)))
    torch.testing.assert_close(others, features[:, order][:, :, order], rtol=1e-4, atol=1e-3)


def relabelled(probe, values, order):
    values = values if probe.location is Location.GRAPH else values[:, order]
    return values[:, :, order] if probe.location is Location.EDGE else values


def test_others_can_bring_some(batch_of):
    run = Run("minimum", pair_features=[Distances, "areas"]).resolved()
    assert run.pair_features == (f"{__name__}:Distances", "areas")
    assert [thing["name"] for thing in from_outside(run)] == [f"{__name__}:Distances"]
    model = models.build("minimum", hidden=8, depth=2, pair_features=[Distances])
    made = model.features_of(batch_of("minimum")).edge.raw[..., -1]
    assert made[0, 0].tolist() == [0, 1, 2, 3, 4, 5]


def test_a_run_keeps_them(tmp_path):
    run = Run("bfs", pair_features=["potentials", pair_features.get("areas")])
    assert run.pair_features == ("potentials", "areas")
    (tmp_path / "run.toml").write_text(run.resolved().to_toml())
    assert Run.from_toml(tmp_path / "run.toml") == run.resolved()
    assert Run("bfs").resolved().pair_features == ()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("potential",), "unknown pair features 'potential'; did you mean 'potentials'"),
        (("areas", "areas"), "pair_features has 'areas' twice; name it once"),
        ("areas", "pair_features must be a list of names, such as ['potentials'], got 'areas'"),
    ],
)
def test_bad_names_are_refused(given, message):
    with pytest.raises(UsageError) as refused:
        models.build("bfs", pair_features=given)
    assert str(refused.value).startswith(message)
