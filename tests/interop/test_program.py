"""The program that is exported does what the network does: every processor, position, readout and use of hints."""

import pytest
import torch

from narlab import models
from narlab.interop._program import Program, input_tensors
from narlab.models import hint_modes, pair_features, positions, processors

RULES = {1: 1, 3: 3, "n/2": 3, "4*log2(n)": 11}  # at n = 6


def answered(model, batch, steps):
    """Logits by the program, with as many steps as it is told."""
    with torch.no_grad():
        found = Program(model)(torch.arange(min(1, steps - 1), steps), *input_tensors(model, batch).values())
    outputs = [probe.name for probe in model.algorithm.outputs]
    return dict(zip(outputs, found[len(outputs) :], strict=True))


def assert_same(model, batch, steps):
    model.uses_kernels = False
    with torch.no_grad():
        expected = model.eval()(batch).outputs
    torch.testing.assert_close(answered(model, batch, steps), expected, rtol=0, atol=2e-5)


@pytest.mark.parametrize("processor", processors.names())
def test_every_processor(batch_of, processor):
    torch.manual_seed(0)
    assert_same(models.build("dfs", processor=processor, hidden=8, depth=3), batch_of("dfs"), 3)


@pytest.mark.parametrize("position", positions.names())
def test_every_position(batch_of, position):
    torch.manual_seed(0)
    assert_same(models.build("lcs_length", processor="mpnn_fc", position=position, depth=2), batch_of("lcs_length"), 2)


@pytest.mark.parametrize("depth", RULES)
@pytest.mark.parametrize("readout", ["paper", "pairs"])
def test_readouts_and_depths(batch_of, readout, depth):
    torch.manual_seed(0)
    settings = {"processor": "triangle", "position": "order", "readout": readout, "relations": True, "hidden": 8}
    assert_same(models.build("floyd_warshall", depth=depth, **settings), batch_of("floyd_warshall"), RULES[depth])


@pytest.mark.parametrize("name", pair_features.names())
def test_every_kind_of_pair_features(batch_of, name):
    torch.manual_seed(0)
    model = models.build("bellman_ford", hidden=8, depth=2, pair_features=[name])
    torch.nn.init.normal_(model.pair_features.share)  # they begin without a say
    assert_same(model, batch_of("bellman_ford"), 2)


@pytest.mark.parametrize("mode", hint_modes.names())
@pytest.mark.parametrize("processor", ["mpnn_g", "triangle"])
def test_every_use_of_hints(batch_of, processor, mode):
    torch.manual_seed(0)
    model = models.build("bfs", processor=processor, hints=mode, hidden=8, depth="trajectory")
    batch = batch_of("bfs", hints=True, count=5, graphs="er:p=0.3")
    assert len(set(batch.lengths.tolist())) > 1
    assert_same(model, batch, max(int(batch.lengths.max()) - 1, 1))


@pytest.mark.parametrize("quantiser", ["straight_through", "gumbel_softmax", "vector_quantisation"])
def test_quantisers(batch_of, quantiser):
    torch.manual_seed(0)
    assert_same(models.build("bfs", quantiser=quantiser, hidden=8, depth=3), batch_of("bfs"), 3)
