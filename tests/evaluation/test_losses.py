"""Losses against values worked out by hand, and against plain NumPy."""

from math import exp, log, log1p

import numpy as np
import pytest
import torch

from narlab import algorithms, models
from narlab.evaluation import hint_loss, loss, output_loss
from narlab.models import Prediction
from narlab.specs import Location, Probe, Type

SCALAR = Probe.output("x", Location.NODE, Type.SCALAR)
MASK = Probe.output("x", Location.NODE, Type.MASK)
MASK_ONE = Probe.output("x", Location.NODE, Type.MASK_ONE)
POINTER = Probe.output("x", Location.NODE, Type.POINTER)
CATEGORICAL = Probe.output("x", Location.EDGE, Type.CATEGORICAL, categories=3)


def tensor(values):
    return torch.tensor(values, dtype=torch.float32)


def of_output(probe, logits, truth):
    return output_loss(probe, tensor(logits), torch.tensor(truth) if probe is POINTER else tensor(truth)).item()


def test_scalar():
    assert of_output(SCALAR, [[1.0, 2.0], [0.0, -1.0]], [[0.0, 2.0], [3.0, -1.0]]) == pytest.approx(10 / 4)


def test_mask():
    """-log sigmoid(z) where true, -log(1 - sigmoid(z)) where not."""
    expected = (log1p(exp(-2.0)) + log1p(exp(1.0)) + log(2.0)) / 3
    assert of_output(MASK, [[2.0, 1.0, 0.0]], [[1.0, 0.0, 1.0]]) == pytest.approx(expected)


def test_masked_elements_of_a_mask_do_not_count():
    masked = of_output(MASK, [[2.0, 50.0, -3.0, 0.0]], [[1.0, -1.0, -1.0, 0.0]])
    assert masked == pytest.approx((log1p(exp(-2.0)) + log(2.0)) / 2)


def test_mask_with_large_logits_is_finite():
    assert of_output(MASK, [[1e4, -1e4]], [[0.0, 1.0]]) == pytest.approx(1e4)


def test_mask_one_is_a_softmax_over_nodes():
    """One element per sample: odds 1 : 2 : 1 and 1 : 1 : 1."""
    logits = [[0.0, log(2.0), 0.0], [5.0, 5.0, 5.0]]
    assert of_output(MASK_ONE, logits, [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]) == pytest.approx((log(2.0) + log(3.0)) / 2)


def test_pointer():
    logits = [[[0.0, log(3.0)], [0.0, 0.0]]]
    assert of_output(POINTER, logits, [[0, 1]]) == pytest.approx((log(4.0) + log(2.0)) / 2)


def test_masked_categories_do_not_count():
    """Two pairs with odds 1 : 1 : 2, and one that is masked, whose -1 stands in the blank channel."""
    logits = [[[[0.0, 0.0, log(2.0)], [0.0, 0.0, log(2.0)], [9.0, 1.0, 4.0]]]]
    truth = [[[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]]]
    assert of_output(CATEGORICAL, logits, truth) == pytest.approx((log(4.0) + log(2.0)) / 2)


def test_a_loss_is_the_mean_over_the_whole_batch_not_over_samples():
    logits, truth = [[1.0, 1.0, 1.0], [3.0, 0.0, 0.0]], [[1.0, 1.0, 1.0], [0.0, -1.0, -1.0]]
    assert of_output(MASK, logits, truth) == pytest.approx((3 * log1p(exp(-1.0)) + log1p(exp(3.0))) / 4)


# Hints


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([3, 3], (1 + 4 + 9 + 16 + 25 + 36 + 49 + 64) / 8),
        ([3, 2], (1 + 4 + 9 + 16 + 25 + 36) / 6),  # the second sample has but one step
        ([2, 1], (1 + 4) / 2),  # and now none
        ([1, 1], 0.0),
    ],
)
def test_steps_that_took_place_weigh_alike(lengths, expected):
    """Two samples of two nodes, two steps; the truth is 0 after row 0, which is never a target."""
    logits = tensor([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]])
    rows = torch.cat([torch.full((2, 1, 2), 100.0), torch.zeros(2, 2, 2)], 1)
    assert hint_loss(SCALAR, logits, rows, torch.tensor(lengths)).item() == pytest.approx(expected)


def test_masked_elements_of_a_hint_do_not_count():
    logits = tensor([[[2.0, 7.0], [1.0, 0.0]]])  # one sample, two steps, two nodes
    rows = tensor([[[1.0, 1.0], [1.0, -1.0], [0.0, 0.0]]])
    expected = (log1p(exp(-2.0)) + log1p(exp(1.0)) + log(2.0)) / 3
    assert hint_loss(MASK, logits, rows, torch.tensor([3])).item() == pytest.approx(expected)
    assert hint_loss(MASK, logits, rows, torch.tensor([2])).item() == pytest.approx(log1p(exp(-2.0)))


def test_a_one_hot_hint_has_one_element_per_step():
    logits = tensor([[[0.0, log(2.0), 0.0], [0.0, 0.0, 0.0]]])
    rows = tensor([[[0, 0, 1], [0, 1, 0], [1, 0, 0]]])
    assert hint_loss(MASK_ONE, logits, rows, torch.tensor([3])).item() == pytest.approx((log(2.0) + log(3.0)) / 2)


def test_a_hint_of_the_whole_graph():
    probe = Probe.hint("x", Location.GRAPH, Type.SCALAR)
    logits, rows = tensor([[1.0, 5.0], [2.0, 7.0]]), torch.zeros(2, 3)
    assert hint_loss(probe, logits, rows, torch.tensor([2, 3])).item() == pytest.approx((1 + 4 + 49) / 3)


@pytest.mark.parametrize("probe", [SCALAR, MASK, MASK_ONE], ids=lambda probe: probe.type)
def test_a_trajectory_of_one_row_has_nothing_to_predict(probe):
    logits = torch.randn(2, 1, 3, requires_grad=True)
    total = hint_loss(probe, logits, torch.zeros(2, 1, 3), torch.tensor([1, 1]))
    total.backward()
    assert total.item() == 0
    assert (logits.grad == 0).all()


# The same in NumPy, for all probes of all algorithms


def log_softmax(z):
    z = z - z.max(-1, keepdims=True)
    return z - np.log(np.exp(z).sum(-1, keepdims=True))


def plain_elementwise(probe, z, y):
    """Loss and weight of each element."""
    if probe.type is Type.SCALAR:
        return (z - y) ** 2, np.ones_like(z)
    if probe.type is Type.MASK:
        return np.maximum(z, 0) - z * y + np.log1p(np.exp(-np.abs(z))), y != -1
    if probe.type is Type.POINTER:
        picked = np.take_along_axis(log_softmax(z), y[..., None], -1)[..., 0]
        return -picked, np.ones_like(picked)
    return -np.where(y == 1, log_softmax(z), 0).sum(-1), (y == 1).any(-1)


def plain_loss(prediction, batch):
    algorithm = algorithms.get(batch.algorithm)
    total = 0.0
    for probe in algorithm.outputs:
        losses, weight = plain_elementwise(probe, *arrays(prediction.outputs[probe.name], batch.outputs[probe.name]))
        total += (losses * weight).sum() / weight.sum()
    for probe in algorithm.hints:
        z, y = arrays(prediction.hints[probe.name], batch.hints[probe.name])
        above, below = 0.0, 0.0
        for b, length in enumerate(batch.lengths.tolist()):
            for t in range(length - 1):
                losses, weight = plain_elementwise(probe, z[b, t], y[b, t + 1])
                above, below = above + (losses * weight).sum(), below + weight.sum()
        total += above / max(below, 1e-12)
    return total


def arrays(logits, truth):
    truth = truth.numpy()
    return logits.double().numpy(), truth if truth.dtype == np.int64 else truth.astype(np.float64)


def random_prediction(batch, seed=0):
    """Random logits of all outputs and hints."""
    generator = torch.Generator().manual_seed(seed)

    def draw(probes, truth, cut):
        found = {}
        for probe in probes:
            shape = truth[probe.name][:, cut:].shape if cut else truth[probe.name].shape
            shape = (*shape, batch.size[1]) if probe.type is Type.POINTER else shape
            found[probe.name] = 3 * torch.randn(shape, generator=generator)
        return found

    algorithm = algorithms.get(batch.algorithm)
    hints = draw(algorithm.hints, batch.hints, 1)
    return Prediction(draw(algorithm.outputs, batch.outputs, 0), hints, torch.zeros(()))


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_all_probes_of_an_algorithm(name, batch_of):
    batch = batch_of(name, count=4, n=7, hints=True)
    prediction = random_prediction(batch)
    assert loss(prediction, batch).item() == pytest.approx(plain_loss(prediction, batch), rel=1e-5)


def test_bridges_and_lcs_have_masked_entries(batch_of):
    """So that the comparison above is one of masks, too."""
    assert (batch_of("bridges", n=7).outputs["is_bridge"] == -1).any()
    assert (batch_of("lcs_length", n=7).outputs["b"] == -1).any()


def test_the_loss_is_the_sum_of_outputs_hints_and_penalty(batch_of):
    batch = batch_of("topological_sort", n=5, hints=True)
    prediction = random_prediction(batch)
    probes = {probe.name: probe for probe in algorithms.get("topological_sort").probes}
    assert set(prediction.outputs) == {"topo", "topo_head"}
    expected = sum(output_loss(probes[name], z, batch.outputs[name]) for name, z in prediction.outputs.items())
    expected += sum(
        hint_loss(probes[name], z, batch.hints[name], batch.lengths) for name, z in prediction.hints.items()
    )
    with_penalty = Prediction(prediction.outputs, prediction.hints, torch.tensor(1.5))
    torch.testing.assert_close(loss(with_penalty, batch), expected + 1.5)
    without_hints = Prediction(prediction.outputs, {}, torch.tensor(0.0))
    expected = sum(output_loss(probes[name], z, batch.outputs[name]) for name, z in prediction.outputs.items())
    torch.testing.assert_close(loss(without_hints, batch), expected)


def test_padding_does_not_matter(batch_of):
    batch = batch_of("dag_shortest_paths", count=4, hints=True)
    assert len(set(batch.lengths.tolist())) > 1
    prediction = random_prediction(batch)
    short = batch.lengths.min().item()
    for name, probe in {probe.name: probe for probe in algorithms.get("dag_shortest_paths").hints}.items():
        logits, rows = prediction.hints[name], batch.hints[name]
        lengths = torch.full((4,), short)
        whole, cut = (hint_loss(probe, logits[:, : end - 1], rows[:, :end], lengths) for end in (rows.shape[1], short))
        torch.testing.assert_close(whole, cut)


def test_a_perfect_model_has_no_loss(batch_of):
    for name in ("bfs", "bridges", "lcs_length", "minimum", "floyd_warshall"):
        batch = batch_of(name)
        logits = {}
        for probe in algorithms.get(name).outputs:
            truth = batch.outputs[probe.name]
            pointed = torch.nn.functional.one_hot(truth, 6) if probe.type is Type.POINTER else truth
            logits[probe.name] = 100.0 * (2 * pointed.float() - 1)
        assert loss(models.Prediction(logits, {}, torch.zeros(())), batch).item() == pytest.approx(0, abs=1e-6)
