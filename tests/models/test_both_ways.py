"""The compiled map of pairs and of those that point back."""

import pytest
import torch
from torch import nn

from narlab.models.kernels.both_ways import can_map_both_ways, mapped_both_ways


def plain(x, layer):
    return layer(torch.cat([x, x.transpose(1, 2)], -1))


@pytest.mark.parametrize(("nodes", "width", "hidden"), [(1, 3, 8), (5, 33, 16), (9, 144, 32)])
def test_values_and_gradients_are_those_of_the_layer(nodes, width, hidden):
    torch.manual_seed(0)
    layer, x = nn.Linear(2 * width, hidden), torch.randn(3, nodes, nodes, width, requires_grad=True)
    weights = (x, *layer.parameters())
    ours, expected = mapped_both_ways(x.split(16, -1), layer), plain(x, layer)
    torch.testing.assert_close(ours, expected, rtol=1e-5, atol=1e-5)
    along = torch.randn_like(ours)
    found = torch.autograd.grad((ours * along).sum(), weights)
    for d, wanted in zip(found, torch.autograd.grad((expected * along).sum(), weights), strict=True):
        torch.testing.assert_close(d, wanted, rtol=1e-4, atol=1e-4)


def test_threads_do_not_change_a_bit():
    torch.manual_seed(0)
    layer, x = nn.Linear(40, 16), torch.randn(33, 4, 4, 20)
    before, found = torch.get_num_threads(), []
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            layer.zero_grad()
            mapped_both_ways([x], layer).square().sum().backward()
            found.append([weight.grad.clone() for weight in layer.parameters()])
    finally:
        torch.set_num_threads(before)
    assert all(map(torch.equal, *found))


def test_widths_that_are_no_whole_lanes_go_the_plain_way():
    assert can_map_both_ways(nn.Linear(6, 16))
    assert not can_map_both_ways(nn.Linear(6, 12))
    assert not can_map_both_ways(nn.Linear(6, 16, bias=False))
