"""Numbers of pairs, and of triples, read by compiled kernels are those of the plain decoders."""

import pytest
import torch
from torch import nn

from narlab.models.kernels.both_ways import can_read_pairs
from narlab.models.kernels.triples import can_read_triples
from narlab.models.readouts.pairs import SLOPE_WHEN_OFF, PairDecoder, Pairs, TripleDecoder

DECODERS = {
    "pointers": lambda width, hidden: PairDecoder(width, hidden, 1, slope_when_off=0.0),
    "masks": lambda width, hidden: PairDecoder(width, hidden, 1, slope_when_off=SLOPE_WHEN_OFF),
    "categories": lambda width, hidden: PairDecoder(width, hidden, 3, slope_when_off=SLOPE_WHEN_OFF),
    "pointers of edges": TripleDecoder,
}


def decoder_and_pairs(kind, graphs, nodes, width, hidden):
    torch.manual_seed(0)
    decoder, x = DECODERS[kind](width, hidden), torch.randn(graphs, nodes, nodes, width, requires_grad=True)
    return decoder, x, Pairs(x.split(16, -1))


@pytest.mark.parametrize("kind", DECODERS)
@pytest.mark.parametrize(("nodes", "width", "hidden"), [(1, 3, 8), (5, 33, 16), (9, 144, 32)])
def test_values_and_gradients_are_the_plain_ones(kind, nodes, width, hidden):
    decoder, x, pairs = decoder_and_pairs(kind, 3, nodes, width, hidden)
    weights = (x, *decoder.parameters())
    ours, expected = decoder(pairs, kernels=True), decoder(pairs)
    torch.testing.assert_close(ours, expected, rtol=1e-5, atol=1e-5)
    along = torch.randn_like(ours)
    found = torch.autograd.grad((ours * along).sum(), weights)
    for d, wanted in zip(found, torch.autograd.grad((expected * along).sum(), weights), strict=True):
        torch.testing.assert_close(d, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", DECODERS)
def test_without_a_gradient_the_bits_are_the_same(kind):
    decoder, _, pairs = decoder_and_pairs(kind, 33, 4, 20, 16)
    trained = decoder(pairs, kernels=True).detach()
    with torch.no_grad():
        assert torch.equal(decoder(pairs, kernels=True), trained)


@pytest.mark.parametrize("kind", DECODERS)
def test_threads_do_not_change_a_bit(kind):
    decoder, _, pairs = decoder_and_pairs(kind, 33, 4, 20, 16)
    before, found = torch.get_num_threads(), []
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            decoder.zero_grad()
            decoder(pairs, kernels=True).square().sum().backward(retain_graph=True)
            found.append([weight.grad.clone() for weight in decoder.parameters()])
    finally:
        torch.set_num_threads(before)
    assert all(map(torch.equal, *found))


@pytest.mark.parametrize("kind", DECODERS)
def test_a_nan_is_not_lost(kind):
    decoder, x, _ = decoder_and_pairs(kind, 2, 3, 20, 16)
    with torch.no_grad():
        x[1, 0, 2, 7] = torch.nan
    numbers = decoder(Pairs((x,)), kernels=True)
    assert torch.equal(numbers.isnan(), decoder(Pairs((x,))).isnan())
    numbers.sum().backward()
    assert decoder.out.weight.grad.isnan().all()


def hooked(layer):
    layer.register_forward_hook(lambda layer, given, made: 2 * made)
    return layer


def test_what_the_kernel_of_pairs_does_not_do_goes_the_plain_way():
    assert can_read_pairs(nn.Linear(6, 16), nn.Linear(16, 1))
    assert not can_read_pairs(nn.Linear(6, 12), nn.Linear(12, 1))
    assert not can_read_pairs(nn.Linear(6, 16, bias=False), nn.Linear(16, 1))
    assert not can_read_pairs(nn.Linear(6, 16), hooked(nn.Linear(16, 1)))


def test_what_the_kernel_of_triples_does_not_do_goes_the_plain_way():
    def layers(hidden=16, *, has_bias=False):
        maps = (nn.Linear(6, hidden), *(nn.Linear(6, hidden, bias=has_bias) for _ in range(2)))
        return *maps, nn.Linear(hidden, 1)

    assert can_read_triples(*layers())
    assert not can_read_triples(*layers(12))
    assert not can_read_triples(*layers(has_bias=True))
    *maps, out = layers()
    assert not can_read_triples(*maps, hooked(out))
    assert not can_read_triples(hooked(maps[0]), *maps[1:], out)
