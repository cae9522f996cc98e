"""Losses and gradients are finite and reach every parameter, with every use of hints; and what hints do to a model."""

from dataclasses import replace

import pytest
import torch
from torch.nn.functional import logsigmoid

from narlab import algorithms, models
from narlab.evaluation import loss
from narlab.models import hint_modes, processors, quantisers
from narlab.models.processors._pair_attention import PairAttention
from narlab.specs import Location, Type

PROCESSORS = (
    *processors.names(),
    pytest.param("hybrid_average:mpnn_g+mpnn_g", marks=pytest.mark.slow),  # has a kernel of its own
    "hybrid_average:two_wl+two_wl",
    "hybrid_sigmoid:two_wl+two_wl",
    "hybrid_average:mpnn_fc+two_wl",
)
HIDDEN = 16
ROUNDING = 1e-6  # of all gradients together: a gradient that is zero but for rounding


def build(algorithm, *, seed=5, **settings):
    torch.manual_seed(seed)
    if settings.get("hints", "none") == "none":
        settings = {"depth": 3, **settings}
    return models.build(algorithm, hidden=HIDDEN, **settings)


def gradient_norms(model, batch):
    """The share of each parameter in the norm of all gradients."""
    total = loss(model.train()(batch), batch)
    assert total.isfinite()
    model.zero_grad()
    total.backward()
    norms = {}
    for name, parameter in model.named_parameters():
        gradient = torch.zeros(()) if parameter.grad is None else parameter.grad
        assert gradient.isfinite().all(), name
        norms[name] = gradient.norm().item()
    whole = sum(norm**2 for norm in norms.values()) ** 0.5
    return {name: norm / whole for name, norm in norms.items()}


def without_gradient(model):
    """The parameters of a model without hints that no gradient can reach.

    - the map of graph features or of edge features, if no probe has any (2WL maps all features at once, and decoders
      read its edge state);
    - a bias that adds the same to all logits of a softmax: of keys, of pointers, of one-hot nodes.
    """
    no_graph = all(probe.location is not Location.GRAPH for probe in model.inputs)
    no_edge = all(probe.location is not Location.EDGE for probe in model.inputs)
    has_edge_state = any(isinstance(module, PairAttention) for module in model.modules())
    found = set()
    for name, _ in model.named_parameters():
        if name.endswith("of_graph.weight") and no_graph:
            found.add(name)
        if name.endswith("of_edge.weight") and no_edge and (name.startswith("processor") or not has_edge_state):
            found.add(name)
        if name.startswith("processor") and name.endswith("key.bias"):
            found.add(name)
    for probe in model.decoders.probes:
        if probe.type is Type.POINTER:
            found.add(f"decoders.by_name.{probe.name}.out.bias")
        if probe.type is Type.MASK_ONE:
            found.add(f"decoders.by_name.{probe.name}.of_node.bias")
    return found


def assert_gradients(model, batch, *, may_miss=()):
    norms = gradient_norms(model, batch)
    nothing = without_gradient(model)
    for name, norm in norms.items():
        if name in nothing:
            assert norm < ROUNDING, f"{name}: {norm:.1e}"
        elif not name.startswith(tuple(may_miss)):
            assert norm > ROUNDING, f"{name}: {norm:.1e}"


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_every_algorithm(name, batch_of):
    assert_gradients(build(name, processor="mpnn_g"), batch_of(name, count=4))


@pytest.mark.parametrize("name", ["bfs", "floyd_warshall", "segments_intersect"])
@pytest.mark.parametrize("processor", PROCESSORS)
def test_every_processor(processor, name, batch_of):
    # Where a node hears itself alone, or all logits are on one side of the leaky relu, some maps do not matter.
    attention = ["processor.of_receiver", "processor.of_sender", "processor.of_edge", "processor.of_graph"]
    assert_gradients(
        build(name, processor=processor), batch_of(name, count=4), may_miss=attention if processor == "gat" else ()
    )


@pytest.mark.parametrize("name", ["bellman_ford", "lcs_length", "minimum", "topological_sort"])
@pytest.mark.parametrize("position", ["scalar", "random_scalar", "sinusoidal", "edge_position"])
def test_every_position_encoding(position, name, batch_of):
    assert_gradients(build(name, processor="mpnn_fc", position=position), batch_of(name, count=4))


# Hints


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_every_algorithm_with_hints(name, batch_of):
    batch = batch_of(name, count=4, hints=True)
    model = build(name, processor="mpnn_fc" if len(name) % 2 else "pgn", hints="encoded_decoded")
    prediction = model(batch)
    for probe in algorithms.get(name).hints:
        rows = batch.hints[probe.name]
        choices = (*rows.shape[2:], batch.size[1]) if probe.type is Type.POINTER else rows.shape[2:]
        assert prediction.hints[probe.name].shape == (4, max(rows.shape[1] - 1, 1), *choices)
    norms = gradient_norms(model, batch)
    hints = [probe.name for probe in model.hints]
    coders = [f"{kind}.{hint}" for kind in ("hint_encoders.maps", "hint_decoders.by_name") for hint in hints]
    for part in ("encoders", "processor", "decoders", *coders):
        assert max(norm for key, norm in norms.items() if key.startswith(f"{part}.")) > ROUNDING, part
    with torch.no_grad():
        assert loss(model.eval()(batch), batch).isfinite()


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("hints", hint_modes.names())
def test_every_use_of_hints_with_every_processor(hints, processor, batch_of):
    batch, mode = batch_of("bellman_ford", n=5, hints=True), hint_modes.get(hints)
    norms = gradient_norms(build("bellman_ford", processor=processor, hints=hints), batch)
    for part in ("encoders", "hint_encoders", "processor", "decoders", "hint_decoders", "update_gate"):
        found = [norm for key, norm in norms.items() if key.startswith(f"{part}.")]
        assert bool(found) == {
            "hint_encoders": mode.encoded,
            "hint_decoders": mode.decoded,
            "update_gate": mode.masks_updates,
        }.get(part, True)
        assert not found or max(found) > 1e-4, part


def corrupted(batch, *, first_row):
    """The batch with other hints from `first_row` on."""
    hints = {}
    for name, rows in batch.hints.items():
        other = rows.clone()
        other[:, first_row:] = rows[:, first_row:].flip(0, 2) if rows.ndim > 2 else 1.0 - rows[:, first_row:]
        hints[name] = other
    return replace(batch, hints=hints)


def outputs(model, batch, *, training):
    with torch.no_grad():
        prediction = model.train(training)(batch)
    return torch.cat([each.flatten() for each in (*prediction.outputs.values(), *prediction.hints.values())])


@pytest.mark.parametrize(
    ("hints", "training", "first_row", "matters"),
    [
        ("encoded_decoded", True, 1, True),  # the true hints are fed in training,
        ("encoded_decoded", False, 1, False),  # the model's own in evaluation,
        ("encoded_decoded", False, 0, True),  # but for the first row, which is an input
        ("markovian", True, 1, True),
        ("markovian", False, 1, False),
        ("decoded_only", True, 0, False),  # hints are only what is to be predicted
        ("decoded_only", False, 0, False),
        ("update_mask", True, 0, False),
        ("update_mask", False, 0, False),
    ],
)
def test_which_hints_are_fed(hints, training, first_row, matters, batch_of):
    batch = batch_of("bellman_ford", n=6, count=4, hints=True)
    assert batch.hints["d"].shape[1] > 3
    other = corrupted(batch, first_row=first_row)
    model = build("bellman_ford", processor="mpnn_fc", hints=hints)
    before, after = outputs(model, batch, training=training), outputs(model, other, training=training)
    assert torch.equal(before, after) == (not matters)


def test_evaluation_feeds_what_the_model_has_decoded(batch_of):
    """A model whose decoders were right at every step would be fed the same in training and in evaluation."""
    batch = batch_of("bellman_ford", n=6, count=4, hints=True)
    model = build("bellman_ford", processor="mpnn_fc", position="scalar", hints="encoded_decoded")
    rows = iter(range(1, 100))

    def perfect(read):
        t = next(rows)
        truth = {name: hint[:, t] for name, hint in batch.hints.items()}
        pointed = torch.nn.functional.one_hot(truth["pi_h"], 6).float()
        return {"pi_h": pointed, "d": truth["d"], "msk": truth["msk"] - 0.5}

    model.hint_decoders.forward = perfect
    with torch.no_grad():
        evaluated = model.eval()(batch).outputs["pi"]
        rows = iter(range(1, 100))
        trained = model.train()(batch).outputs["pi"]
    torch.testing.assert_close(evaluated, trained)


@pytest.mark.parametrize(("hints", "carries"), [("encoded_decoded", True), ("markovian", False)])
def test_a_markovian_model_knows_the_present_row_alone(hints, carries, batch_of):
    """Other hints before the last row that is fed change what is read after it only if there is a state to carry."""
    batch = batch_of("insertion_sort", n=5, count=1, hints=True)  # T = 5: rows 0 to 3 are fed
    assert batch.lengths.tolist() == [5]
    other_past = {name: rows[:, [1, 1, 1, 3, 4]] for name, rows in batch.hints.items()}
    model = build("insertion_sort", processor="mpnn_fc", hints=hints).train()
    with torch.no_grad():
        one, other = model(batch), model(replace(batch, hints=other_past))
    assert not torch.equal(one.hints["pred_h"][:, 0], other.hints["pred_h"][:, 0])
    assert torch.equal(one.outputs["pred"], other.outputs["pred"]) == (not carries)
    assert torch.equal(one.hints["pred_h"][:, -1], other.hints["pred_h"][:, -1]) == (not carries)


def test_a_subset_of_the_hints(batch_of):
    batch = batch_of("bellman_ford", hints=True)
    model = build("bellman_ford", processor="mpnn_fc", hints="encoded_decoded", hint_names=("d", "msk"))
    assert set(model.hint_encoders.maps) == set(model.hint_decoders.by_name) == {"d", "msk"}
    prediction = model(batch)
    assert set(prediction.hints) == {"d", "msk"}
    norms = gradient_norms(model, batch)
    assert min(norms[f"hint_encoders.maps.{name}.weight"] for name in ("d", "msk")) > ROUNDING
    others = replace(batch, hints={**batch.hints, "pi_h": batch.hints["pi_h"].flip(2)})
    torch.testing.assert_close(loss(model(others), others), loss(prediction, batch), rtol=0, atol=0)


# Gates of updates


def test_the_penalty_teaches_the_gate(batch_of):
    batch = batch_of("bfs", n=6, count=4, hints=True)
    model = build("bfs", processor="mpnn_g", hints="update_mask")
    penalty = model(batch).penalty
    assert penalty.item() > 0
    penalty.backward()
    assert model.update_gate.weight.grad.norm() > 0


def test_the_penalty_by_hand(batch_of):
    """Rows 0, 1, 2 of minimum's hints at n=3; each step asks for the nodes whose hints change next."""
    batch = batch_of("minimum", n=3, count=2, hints=True)
    assert batch.lengths.tolist() == [3, 3]
    model = build("minimum", processor="mpnn_fc", hints="update_mask")
    torch.nn.init.zeros_(model.update_gate.weight)
    torch.nn.init.constant_(model.update_gate.bias, 2.0)
    opens, stays = -logsigmoid(torch.tensor(2.0)), -logsigmoid(torch.tensor(-2.0))
    changed = torch.stack([batch.hints[name].diff(dim=1) != 0 for name in ("pred_h", "min_h", "i")]).any(0)  # [B, 2, N]
    assert 0 < changed.sum() < changed.numel()
    torch.testing.assert_close(model(batch).penalty, torch.where(changed, opens, stays).mean())


def test_padding_adds_nothing_to_the_penalty(batch_of):
    batch = batch_of("bfs", n=6, count=4, hints=True)
    padded = {name: torch.cat([rows, torch.zeros_like(rows)], 1) for name, rows in batch.hints.items()}
    model = build("bfs", processor="mpnn_g", hints="update_mask")
    torch.testing.assert_close(model(replace(batch, hints=padded)).penalty, model(batch).penalty)


@pytest.mark.parametrize("open_", [True, False])
def test_the_gate_decides_what_changes(open_, batch_of):
    """A gate that is always open is no gate; one that is always shut keeps the state at zero."""
    batch = batch_of("bfs", n=6, count=4, hints=True)
    model = build("bfs", processor="mpnn_g", hints="update_mask")
    torch.nn.init.zeros_(model.update_gate.weight)
    torch.nn.init.constant_(model.update_gate.bias, 100.0 if open_ else -100.0)
    read = []
    model.decoders.register_forward_pre_hook(lambda module, arguments: read.append(arguments[0].node[2]))
    plain = build("bfs", processor="mpnn_g", depth="trajectory")
    plain.load_state_dict({key: value for key, value in model.state_dict().items() if "update_gate" not in key})
    with torch.no_grad():
        gated, free = model(batch).outputs["pi"], plain(batch).outputs["pi"]
    if open_:
        torch.testing.assert_close(gated, free)
    else:
        assert all((state == 0).all() for state in read)
        assert not torch.allclose(gated, free)


# Quantised states


@pytest.mark.parametrize("quantiser", quantisers.names())
@pytest.mark.parametrize("hints", ["none", "encoded_decoded"])
def test_every_quantiser(quantiser, hints, batch_of):
    batch = batch_of("bfs", hints=True)
    model = build("bfs", processor="mpnn_g", hints=hints, quantiser=quantiser)
    norms = gradient_norms(model, batch)
    assert norms["processor.of_sender.weight"] > ROUNDING  # the gradient passes through the quantised states
    assert norms["encoders.maps.s.weight"] > ROUNDING
    assert norms.get("quantiser.codebook", 1.0) > ROUNDING
    with torch.no_grad():
        assert loss(model.eval()(batch), batch).isfinite()


def quantise(quantiser, h, *, training, seed=0):
    torch.manual_seed(3)
    made = quantisers.get(quantiser)(HIDDEN).train(training)
    return (made, *made(h, torch.Generator().manual_seed(seed)))


def test_straight_through_gives_bits():
    h = torch.randn(2, 3, HIDDEN, generator=torch.Generator().manual_seed(0), requires_grad=True)
    _, bits, penalty = quantise("straight_through", h, training=True)
    assert torch.equal(bits.round().bool(), h > 0)
    assert penalty == 0
    bits.sum().backward()
    torch.testing.assert_close(h.grad, h.sigmoid() * (1 - h.sigmoid()))


def test_gumbel_softmax_gives_one_of_four():
    h = torch.randn(2, 3, HIDDEN, generator=torch.Generator().manual_seed(0))
    _, plain, _ = quantise("gumbel_softmax", h, training=False)
    groups = plain.unflatten(-1, (-1, 4))
    assert torch.equal(groups.argmax(-1), h.unflatten(-1, (-1, 4)).argmax(-1))
    torch.testing.assert_close(groups.sort(-1).values, torch.tensor([0.0, 0, 0, 1]).expand_as(groups))
    _, drawn, _ = quantise("gumbel_softmax", h, training=True)
    _, again, _ = quantise("gumbel_softmax", h, training=True)
    _, other, _ = quantise("gumbel_softmax", h, training=True, seed=1)
    assert torch.equal(drawn, again)
    assert not torch.equal(drawn, other)


def test_gumbel_softmax_draws_in_proportion():
    """P(k) = exp(h_k) / sum exp(h)."""
    probabilities = torch.tensor([0.1, 0.2, 0.3, 0.4])
    h = probabilities.log().repeat(1, 1000, HIDDEN // 4)
    _, drawn, _ = quantise("gumbel_softmax", h, training=True)
    torch.testing.assert_close(drawn.unflatten(-1, (-1, 4)).mean((0, 1, 2)), probabilities, rtol=0, atol=0.03)


def test_vector_quantisation_gives_the_nearest_entry():
    h = torch.randn(2, 3, HIDDEN, generator=torch.Generator().manual_seed(0), requires_grad=True)
    made, quantised, penalty = quantise("vector_quantisation", h, training=True)
    (passed,) = torch.autograd.grad(quantised.sum(), h, retain_graph=True)
    assert (passed == 1).all()
    distance = (h[:, :, None] - made.codebook).square().sum(-1)  # [B, N, entries]
    nearest = made.codebook[distance.argmin(-1)]
    torch.testing.assert_close(quantised, nearest)
    torch.testing.assert_close(penalty, 1.25 * (h - nearest).square().mean())
    penalty.backward()
    torch.testing.assert_close(h.grad, 0.25 * 2 * (h - nearest) / h.numel())


def test_the_seed_of_a_batch_decides_the_noise(batch_of):
    batch = batch_of("bfs")
    model = build("bfs", quantiser="gumbel_softmax").train()
    one, again, other = (model(replace(batch, seed=seed)).outputs["pi"] for seed in (4, 4, 5))
    assert torch.equal(one, again)
    assert not torch.equal(one, other)
