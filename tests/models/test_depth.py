"""How many steps a model runs, and at which of them a sample is read."""

from dataclasses import replace

import pytest
import torch

from narlab import data, models
from narlab.models import depth as depths
from narlab.models import hint_modes, processors

WITH_HINTS = [name for name in hint_modes.names() if hint_modes.get(name).needs_hints]


def build(**settings):
    torch.manual_seed(2)
    model = models.build("bfs", hidden=8, position="scalar", **settings)
    model.uses_kernels = False  # they do all steps at once, and can't be counted
    return model


def steps_run(model, batch):
    """The logits, and how often the processor made a step."""
    made = []
    step = model.processor.step
    model.processor.step = lambda state, prepared: made.append(None) or step(state, prepared)
    with torch.no_grad():
        logits = model(batch).outputs["pi"]
    model.processor.step = step
    return logits, len(made)


def of_lengths(batch, lengths):
    return replace(batch, lengths=torch.tensor(lengths))


@pytest.mark.parametrize("processor", processors.names())
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_a_fixed_depth_is_the_same_for_every_sample(steps, processor, batch_of):
    batch = batch_of("bfs", hints=True)
    model = build(processor=processor, depth=steps)
    logits, made = steps_run(model, batch)
    assert made == steps
    for lengths in ([1, 1, 1], [2, 9, 40], [7, 3, 5]):
        others, made = steps_run(model, of_lengths(batch, lengths))
        assert made == steps
        assert torch.equal(logits, others)
    assert torch.equal(logits, model(replace(batch, hints=None)).outputs["pi"])


def test_the_default_depth_is_the_paper_s(batch_of):
    assert steps_run(build(), batch_of("bfs", count=1))[1] == 32


def test_depth_matters(batch_of):
    batch = batch_of("bfs")
    two, three = (build(depth=steps) for steps in (2, 3))
    assert not torch.allclose(two(batch).outputs["pi"], three(batch).outputs["pi"])


def test_each_sample_is_read_at_its_own_last_step(batch_of):
    """A trajectory of L rows has L - 1 steps between them, and never less than one."""
    batch = of_lengths(batch_of("bfs", count=5), [4, 1, 7, 2, 3])
    logits, made = steps_run(build(depth="trajectory"), batch)
    assert made == 6
    for b, steps in enumerate([3, 1, 6, 1, 2]):
        alone = build(depth=steps)(batch).outputs["pi"]
        torch.testing.assert_close(logits[b], alone[b])


@pytest.mark.parametrize("hints", ["none", *WITH_HINTS])
def test_longer_samples_of_the_batch_do_not_matter(hints):
    dataset = data.custom("bfs", n=7, count=40, seed=3, hints=True)
    shortest, longest = int(dataset.lengths.argmin()), int(dataset.lengths.argmax())
    assert dataset.lengths[longest] > dataset.lengths[shortest] + 1
    alone, together = (models.make_batch(dataset[rows], 5) for rows in ([shortest], [shortest, longest]))
    features = together.random_features[:1]
    alone = replace(alone, random_features=features)
    for training in (True, False):
        names = None if training or hints == "none" else ("reach_h",)  # of equal pointers the first would be taken
        model = build(depth="trajectory", processor="mpnn_fc", hints=hints, hint_names=names).train(training)
        with torch.no_grad():
            torch.testing.assert_close(model(alone).outputs["pi"], model(together).outputs["pi"][:1])


@pytest.mark.parametrize("hints", WITH_HINTS)
def test_with_hints_a_model_runs_as_long_as_there_are_rows(hints, batch_of):
    batch = batch_of("bfs", count=4, hints=True)
    rows = batch.hints["reach_h"].shape[1]
    model = build(hints=hints)
    assert model.settings.depth == "trajectory"
    assert steps_run(model, batch)[1] == rows - 1
    decoded = model(batch).hints
    assert all(hint.shape[1] == rows - 1 for hint in decoded.values())
    assert bool(decoded) == hint_modes.get(hints).decoded


@pytest.mark.parametrize("hints", WITH_HINTS)
def test_a_trajectory_of_one_row_is_one_step(hints):
    dataset = data.custom("bfs", n=5, count=40, seed=1, hints=True)
    one = models.make_batch(dataset[(dataset.lengths == 1).nonzero()[0]])
    single = replace(one, hints={name: rows[:, :1] for name, rows in one.hints.items()})
    for batch in (one, single):
        logits, made = steps_run(build(hints=hints), batch)
        assert made == max(batch.hints["reach_h"].shape[1] - 1, 1)
        assert logits.isfinite().all()
    assert torch.equal(build(hints=hints)(one).outputs["pi"], build(hints=hints)(single).outputs["pi"])


@pytest.mark.parametrize("hints", WITH_HINTS)
def test_padded_rows_do_not_matter(hints, batch_of):
    batch = batch_of("bfs", count=4, hints=True)
    padded = {name: torch.cat([rows, torch.zeros_like(rows)], 1) for name, rows in batch.hints.items()}
    model = build(hints=hints)
    for training in (True, False):
        model.train(training)
        with torch.no_grad():
            one, other = model(batch), model(replace(batch, hints=padded))
        assert torch.equal(one.outputs["pi"], other.outputs["pi"])
        for name, logits in one.hints.items():
            assert torch.equal(logits, other.hints[name][:, : logits.shape[1]])


def test_a_batch_in_another_order(batch_of):
    """Samples that end at different steps come back in their own places."""
    batch = of_lengths(batch_of("bfs", count=4), [5, 2, 9, 3])
    order = torch.tensor([2, 0, 3, 1])
    other = replace(
        batch,
        inputs={name: values[order] for name, values in batch.inputs.items()},
        lengths=batch.lengths[order],
        random_features=batch.random_features[order],
    )
    model = build(depth="trajectory")
    torch.testing.assert_close(model(other).outputs["pi"], model(batch).outputs["pi"][order])


# Rules of n


@pytest.mark.parametrize(
    ("depth", "of_16", "of_17", "of_64"),
    [
        (32, 32, 32, 32),
        ("32", 32, 32, 32),
        ("n", 16, 17, 64),
        ("n/2", 8, 9, 32),
        ("3*n/2", 24, 26, 96),
        ("0.1*n", 2, 2, 7),
        ("log2(n)", 4, 5, 6),
        ("4 * log2(n)", 16, 17, 24),
        ("log2(n)/100", 1, 1, 1),
    ],
)
def test_a_rule_gives_a_depth_for_each_size(depth, of_16, of_17, of_64):
    assert [depths.parse(depth).of(n) for n in (16, 17, 64)] == [of_16, of_17, of_64]


def test_a_rule_is_written_in_one_form():
    forms = {"n": "n", " n / 2": "n/2", "0.5*n": "n/2", "2*n/4": "n/2", "1.5*n": "3*n/2", "4*log2(n)/1": "4*log2(n)"}
    for text, form in forms.items():
        assert depths.parse(text).setting == form
        assert depths.parse(form) == depths.parse(text)
        assert build(depth=text).settings.depth == form
    assert depths.parse("12").setting == depths.parse(12).setting == 12
    assert depths.parse("trajectory").setting == "trajectory"


def test_a_model_takes_its_depth_from_each_batch(batch_of):
    model = build(depth="n/2")
    for n in (3, 6, 9):
        assert steps_run(model, batch_of("bfs", n=n))[1] == -(-n // 2)
    batch = batch_of("bfs", n=6)
    assert torch.equal(model(batch).outputs["pi"], build(depth=3)(batch).outputs["pi"])
    model.uses_kernels = True
    torch.testing.assert_close(model(batch).outputs["pi"], build(depth=3)(batch).outputs["pi"], rtol=1e-4, atol=1e-5)


def test_the_depth_of_a_model_can_be_another_one(batch_of):
    model, batch = build(depth=3), batch_of("bfs", n=6)
    model.depth = depths.parse("2*n")
    assert steps_run(model, batch)[1] == 12


def test_a_rule_holds_where_steps_are_taken_one_by_one(batch_of):
    assert steps_run(build(depth="n/3", quantiser="straight_through"), batch_of("bfs", n=9))[1] == 3


# Other depths for one call


@pytest.mark.parametrize("processor", ["mpnn_g", "two_wl", "triangle", "hybrid_sigmoid"])
@pytest.mark.parametrize("uses_kernels", [True, False])
def test_a_call_may_have_its_own_depth(processor, uses_kernels, batch_of):
    batch, model = batch_of("bfs"), build(processor=processor, depth=5)
    model.uses_kernels = uses_kernels
    with torch.no_grad():
        expected = model(batch).outputs["pi"]
        model.depth = depths.parse(2)
        torch.testing.assert_close(model(batch, depth=5).outputs["pi"], expected)
        torch.testing.assert_close(model(batch, depth=3, without_gradient=2).outputs["pi"], expected)
        assert not torch.allclose(model(batch).outputs["pi"], expected)


def gradients(model, batch, **arguments):
    model.zero_grad()
    model(batch, **arguments).outputs["pi"].square().sum().backward()
    named = model.named_parameters()
    return {name: torch.zeros_like(weight) if weight.grad is None else weight.grad.clone() for name, weight in named}


@pytest.mark.parametrize("processor", ["mpnn_g", "two_wl", "triangle"])
def test_steps_without_gradient_keep_none(processor, batch_of):
    """The same with kernels; the steps before the last ones are done where nothing is kept, and have no gradient."""
    batch, model = batch_of("bfs"), build(processor=processor, depth=2)
    steps, calls = model.processor.steps, []

    def counted(state, prepared, count):
        calls.append((count, torch.is_grad_enabled()))
        return steps(state, prepared, count)

    model.processor.steps = counted
    found = gradients(model, batch, without_gradient=3)
    assert calls == [(3, False), (2, True)]
    del model.processor.steps
    model.uses_kernels = True
    fast = gradients(model, batch, without_gradient=3)
    every_step = gradients(model, batch, depth=5)
    for name, gradient in found.items():
        torch.testing.assert_close(fast[name], gradient, rtol=1e-3, atol=1e-4)
    assert any(not torch.allclose(every_step[name], found[name], rtol=1e-2, atol=1e-3) for name in found)
    if processor == "triangle":
        assert (found["processor.start.0.weight"] == 0).all()  # the start is before all steps


@pytest.mark.parametrize(
    ("settings", "arguments", "message"),
    [
        ({"depth": "trajectory"}, {"depth": 3}, "depth=3 needs a model without hints"),
        ({"depth": "trajectory"}, {"without_gradient": 3}, "without_gradient=3 needs a model without hints"),
        ({"depth": 2, "quantiser": "gumbel_softmax"}, {"without_gradient": 1}, "needs a model without hints and quan"),
        ({"depth": 2}, {"depth": 0}, "depth must be an integer of at least 1, got 0"),
        ({"depth": 2}, {"without_gradient": -1}, "without_gradient must be an integer of at least 0, got -1"),
    ],
)
def test_steps_that_are_refused(settings, arguments, message, batch_of):
    with pytest.raises(ValueError, match=message):
        build(**settings)(batch_of("bfs"), **arguments)
