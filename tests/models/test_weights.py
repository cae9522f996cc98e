"""Initial weights and numbers of parameters."""

import math

import pytest
import torch
from torch import nn

from narlab import models
from narlab.models import processors
from narlab.models.layers import linear_of_parts, new_linear

CUT = 0.8796  # the standard deviation of a normal variable cut at two deviations, against the uncut one's
BEYOND = ("pivotal_attention", "triangle")  # not the paper's, and with initial weights of their own
ATTENTION = ("query", "key", "value", "out", "mlp_in", "mlp_out")


def assert_truncated_normal(weight, variance):
    deviation = math.sqrt(variance / weight.shape[1])
    assert weight.abs().max() <= 2 * deviation
    if weight.numel() > 10_000:
        assert weight.abs().max() > 1.95 * deviation
        assert weight.mean().item() == pytest.approx(0, abs=0.04 * deviation)
        assert weight.std().item() == pytest.approx(CUT * deviation, rel=0.03)


@pytest.mark.parametrize("variance", [1.0, 2.0])
@pytest.mark.parametrize("fan_in", [1, 16, 256])
def test_a_new_linear_map(fan_in, variance):
    torch.manual_seed(1)
    layer = new_linear(fan_in, 65536 // fan_in, variance=variance)
    assert_truncated_normal(layer.weight, variance)
    assert (layer.bias == 0).all()


@pytest.mark.parametrize("processor", [name for name in processors.names() if name not in BEYOND])
def test_every_weight_of_a_model(processor):
    torch.manual_seed(1)
    model = models.build("floyd_warshall", processor=processor, hidden=128)
    layers = {name: layer for name, layer in model.named_modules() if isinstance(layer, nn.Linear)}
    for name, layer in layers.items():
        of_attention = name.startswith("processor") and name.split(".")[-1] in ATTENTION
        assert_truncated_normal(layer.weight, variance=2.0 if of_attention else 1.0)
        assert (layer.bias == 0).all()
    norms = [layer for layer in model.modules() if isinstance(layer, nn.LayerNorm)]
    for norm in norms:
        assert (norm.weight == 1).all()
        assert (norm.bias == 0).all()
        assert norm.eps == 1e-5
    inside = [*layers.values(), *norms]
    assert sum(parameter.numel() for layer in inside for parameter in layer.parameters()) == parameters(model)


def parameters(model):
    return sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize(
    ("processor", "count"),
    [
        ("mpnn_fc", 332_673),
        ("mpnn_g", 332_673),
        ("pgn", 332_673),
        ("two_wl", 398_721),
        ("two_wl_all_pairs", 398_721),
        ("hybrid_average", 413_965),
        ("hybrid_sigmoid", 414_074),
    ],
)
def test_numbers_of_parameters_are_the_paper_s(processor, count):
    assert parameters(models.build("bfs", processor=processor)) == count


def test_the_number_of_parameters_does_not_depend_on_depth_or_size():
    assert parameters(models.build("bfs", depth=1)) == parameters(models.build("bfs", depth="trajectory")) == 332_673


@pytest.mark.parametrize("processor", processors.names())
def test_the_seed_decides_the_weights(processor):
    def weights(seed):
        torch.manual_seed(seed)
        return models.build("bfs", processor=processor, hidden=8).state_dict()

    one, again, other = weights(1), weights(1), weights(2)
    assert all(torch.equal(one[name], again[name]) for name in one)
    drawn = [name for name in one if name.endswith("weight") and "norm" not in name]
    assert not any(torch.equal(one[name], other[name]) for name in drawn)


def test_a_linear_map_of_parts():
    layer = new_linear(9, 4)
    nn.init.normal_(layer.bias)
    one, two, three = torch.randn(3, 5, 3).unbind()
    torch.testing.assert_close(linear_of_parts(layer, (one, two, three)), layer(torch.cat([one, two, three], -1)))
    without = layer(torch.cat([one, torch.zeros(5, 3), three], -1))
    torch.testing.assert_close(linear_of_parts(layer, (one, None, three)), without)
    assert torch.equal(linear_of_parts(layer, (None, None, None)), layer.bias)
