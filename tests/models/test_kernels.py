"""Compiled kernels give what the plain path gives: outputs, gradients and training, the same bits every time."""

import warnings

import numpy as np
import pytest
import torch

from narlab import algorithms, data, models
from narlab.common.compiling import compiled
from narlab.evaluation import loss
from narlab.kernels import numerics
from narlab.models import kernels, processors

OF_TWO_ATTENTIONS = ("hybrid_average:two_wl+two_wl", "hybrid_sigmoid:two_wl+two_wl")
OF_A_KIND = ("hybrid_average:mpnn_g+mpnn_g", *OF_TWO_ATTENTIONS)
HAVE_KERNELS = [name for name in processors.names() if kernels.kernel_of(processors.make(name, 16)) is not None]
PROCESSORS = (*HAVE_KERNELS, *(pytest.param(name, marks=pytest.mark.slow) for name in OF_A_KIND))
EVERY_KIND = (  # of inputs, outputs and graphs
    "articulation_points",
    "bfs",
    "binary_search",
    "bridges",
    "dag_shortest_paths",
    "floyd_warshall",
    "graham_scan",
    "kmp_matcher",
    "lcs_length",
    "optimal_bst",
    "quickselect",
    "segments_intersect",
)
OUTPUTS, GRADIENTS = 1e-5, 1e-4  # relative
LOSSES = {"triangle": 1e-2}  # relative; its signs and winners turn where rounding decides
NOTHING = 1e-3  # of all gradients together: below this a gradient is rounding noise, as that of a bias of keys


def build(name, processor, **settings):
    torch.manual_seed(5)
    model = models.build(name, processor=processor, hidden=16, **settings)
    for parameter in model.parameters():  # biases and norms that are not trivial
        parameter.data.add_(0.05 * torch.randn_like(parameter))
    return model


def outputs_and_gradients(model, batch, *, kernels):
    model.uses_kernels = kernels
    model.zero_grad()
    prediction = model(batch)
    loss(prediction, batch).backward()
    gradients = {
        name: torch.zeros_like(parameter) if parameter.grad is None else parameter.grad.clone()
        for name, parameter in model.named_parameters()
    }
    return prediction.outputs | {f"hint {name}": rows for name, rows in prediction.hints.items()}, gradients


def distance(ours, others, least=0.0):
    return ((ours - others).norm() / others.norm().clamp_min(max(least, 1e-12))).item()


def assert_same(model, batch):
    plain, plain_gradients = outputs_and_gradients(model, batch, kernels=False)
    ours, gradients = outputs_and_gradients(model, batch, kernels=True)
    scale = torch.cat([gradient.flatten() for gradient in plain_gradients.values()]).norm().item()
    for name in plain:
        assert distance(ours[name], plain[name]) < OUTPUTS, name
    for name in plain_gradients:
        assert distance(gradients[name], plain_gradients[name], NOTHING * scale) < GRADIENTS, name


def is_quick(name, processor):
    return processor == "triangle" or (name in EVERY_KIND and processor in HAVE_KERNELS)


@pytest.mark.parametrize(
    ("name", "processor"),
    [
        pytest.param(name, processor, marks=[] if is_quick(name, processor) else pytest.mark.slow)
        for processor in (*HAVE_KERNELS, *OF_A_KIND)
        for name in algorithms.CLRS_30
    ],
)
def test_outputs_and_gradients_are_the_plain_ones(name, processor, batch_of):
    model = build(name, processor, depth=4)
    assert kernels.kernel_of(model.processor) is not None
    assert_same(model, batch_of(name, n=7, count=3))


@pytest.mark.parametrize("processor", OF_TWO_ATTENTIONS)
@pytest.mark.parametrize("name", ["bfs", "quicksort", "floyd_warshall"])
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_so_they_are_of_two_attentions(steps, name, processor, batch_of):
    """On sparse graphs and on all pairs, several graphs of a group, with a way back and without."""
    model, batch = build(name, processor, depth=steps), batch_of(name, n=7, count=kernels.GROUPS + 2)
    assert_same(model, batch)
    trained = model(batch).outputs
    with torch.inference_mode():
        for key, logits in model(batch).outputs.items():
            torch.testing.assert_close(logits, trained[key].detach(), rtol=0, atol=0)


@pytest.mark.parametrize("processor", ["triangle"])
@pytest.mark.parametrize("name", ["bfs", "articulation_points", "floyd_warshall", "lcs_length", "segments_intersect"])
def test_so_they_are_with_the_triangle_model(name, processor, batch_of):
    """With all its parts, for every kind of output."""
    model = build(name, processor, relations=True, position="order", readout="pairs", depth=3)
    assert_same(model, batch_of(name, n=7, count=3))


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("hints", ["encoded_decoded", "decoded_only", "markovian", "update_mask"])
def test_so_they_are_with_hints(processor, hints, batch_of):
    assert_same(build("bfs", processor, hints=hints), batch_of("bfs", hints=True))


@pytest.mark.parametrize("processor", ["mpnn_fc", "pgn", "gat"])
@pytest.mark.parametrize("name", ["floyd_warshall", "quicksort", "lcs_length", "graham_scan", "kmp_matcher"])
def test_so_they_are_with_hints_of_all_kinds(processor, name, batch_of):
    """Of nodes, edges and graphs, with trajectories of different lengths; short ones, as rounding grows by steps."""
    assert_same(build(name, processor, hints="encoded_decoded"), batch_of(name, n=5, count=3, hints=True))


def test_a_hook_of_a_hints_encoder_is_called_for_what_it_says(batch_of):
    model, batch = build("bfs", "mpnn_g", hints="encoded_decoded"), batch_of("bfs", hints=True)
    model.hint_encoders.maps["reach_h"].register_forward_hook(lambda layer, given, made: 2 * made)
    assert_same(model, batch)


@pytest.mark.parametrize("processor", PROCESSORS)
def test_graphs_larger_than_a_tile(processor, batch_of):
    """Messages are worked on in tiles of 512, and 32 nodes have 1,024 pairs."""
    assert_same(build("minimum", processor, depth=2), batch_of("minimum", n=32, count=2))


@pytest.mark.parametrize(
    ("name", "processor"),
    [
        pytest.param(name, processor, marks=[] if name == "bfs" and processor == "triangle" else pytest.mark.slow)
        for name in ("bfs", "minimum")
        for processor in (*HAVE_KERNELS, *OF_A_KIND)
    ],
)
def test_fifty_steps_of_training_have_the_same_losses(name, processor):
    samples = data.custom(name, n=6, count=200, seed=1)

    def losses(kernels):
        model = build(name, processor, depth=3)
        model.uses_kernels = kernels
        optimiser = torch.optim.Adam(model.parameters(), lr=1e-4)
        found = []
        for step in range(50):
            batch = models.make_batch(samples[4 * step : 4 * step + 4], step)
            optimiser.zero_grad()
            total = loss(model(batch), batch)
            total.backward()
            optimiser.step()
            found.append(total.item())
        return np.array(found)

    np.testing.assert_allclose(losses(True), losses(False), rtol=LOSSES.get(processor, 1e-3))


@pytest.mark.parametrize("processor", PROCESSORS)
def test_the_same_bits_every_time_and_with_any_number_of_threads(processor, batch_of):
    model, batch = build("bfs", processor, depth=3), batch_of("bfs", count=20)
    before = torch.get_num_threads()
    found = []
    try:
        for count in (1, 2, 2, 3):
            torch.set_num_threads(count)
            found.append(outputs_and_gradients(model, batch, kernels=True)[1])
    finally:
        torch.set_num_threads(before)
    for gradients in found[1:]:
        for name in gradients:
            if name.startswith("processor"):
                assert torch.equal(gradients[name], found[0][name]), name


@pytest.mark.parametrize("processor", PROCESSORS)
def test_evaluation_keeps_nothing_and_gives_the_same(processor, batch_of):
    for steps in (1, 2, 5):
        model, batch = build("bfs", processor, depth=steps), batch_of("bfs", count=1)
        trained = model(batch).outputs["pi"]
        with torch.inference_mode():
            torch.testing.assert_close(model(batch).outputs["pi"], trained.detach(), rtol=0, atol=0)


def test_what_has_no_kernel_goes_the_plain_way():
    assert kernels.kernel_of(processors.make("two_wl_all_pairs", 8)) is None
    assert kernels.kernel_of(processors.make("hybrid_average:mpnn_g+two_wl_all_pairs", 8)) is None
    assert kernels.kernel_of(processors.make("mpnn_g", 8).double()) is None


def test_where_kernels_cannot_run_one_warning_is_given(monkeypatch, batch_of):
    def fails(matrix):
        raise RuntimeError("no BLAS")

    monkeypatch.setattr(kernels, "in_panels", fails)
    kernels.available.cache_clear()
    model, batch = build("bfs", "mpnn_g", depth=2), batch_of("bfs")
    try:
        with pytest.warns(UserWarning, match=r"kernels can't run here \(no BLAS\)"):
            logits = model(batch).outputs["pi"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model(batch)
    finally:
        kernels.available.cache_clear()
    model.uses_kernels = False
    assert torch.equal(logits, model(batch).outputs["pi"])


def test_a_nan_is_not_lost(batch_of):
    for processor in (*HAVE_KERNELS, *OF_A_KIND):
        model, batch = build("bfs", processor, depth=2), batch_of("bfs")
        with torch.no_grad():
            next(model.processor.parameters()).view(-1)[0] = torch.nan
            assert model(batch).outputs["pi"].isnan().any(), processor


@compiled
def exponentials(x):
    return np.array([numerics.exponential(value) for value in x])


@compiled
def gelus(x):
    return np.array([numerics.gelu(value) for value in x])


@compiled
def gelu_slopes(x):
    return np.array([numerics.gelu_slope(value) for value in x])


def test_exponential_and_gelu_are_those_of_pytorch():
    x = torch.linspace(-30, 30, 10_001)
    ours = exponentials(x.numpy())
    np.testing.assert_allclose(ours, x.exp().numpy(), rtol=3e-7)
    x = torch.linspace(-8, 8, 1001, requires_grad=True)
    values = torch.nn.functional.gelu(x, approximate="tanh")
    values.sum().backward()
    np.testing.assert_allclose(gelus(x.detach().numpy()), values.detach(), rtol=2e-6, atol=2e-7)
    np.testing.assert_allclose(gelu_slopes(x.detach().numpy()), x.grad, rtol=2e-5, atol=2e-6)
