"""A network is an ordinary module: it can be copied, pickled, averaged and moved to double precision."""

import copy
import pickle

import pytest
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from narlab import models
from narlab.evaluation import loss
from narlab.models import hint_modes, positions, processors, quantisers, readouts

HYBRID = "hybrid_sigmoid:mpnn_g+gat"
PARTS = [
    *({"processor": name} for name in (*processors.names(), HYBRID)),
    *({"position": name, "processor": "mpnn_fc"} for name in positions.names()),
    *({"hints": name} for name in hint_modes.names()),
    *({"quantiser": name} for name in quantisers.names()),
    *({"relations": True, "readout": name} for name in readouts.names()),
    {"processor": "triangle", "relations": True, "position": "order", "readout": "pairs"},
]


def build(**settings):
    torch.manual_seed(4)
    depth = {} if "hints" in settings else {"depth": 2}
    return models.build("bfs", hidden=8, **depth, **settings)


@pytest.mark.parametrize("settings", PARTS, ids=lambda settings: next(reversed(settings.values())))
def test_copies_give_the_same_and_are_their_own(settings, batch_of):
    model, batch = build(**settings), batch_of("bfs", hints=True)
    expected = model(batch).outputs["pi"]
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert torch.equal(other(batch).outputs["pi"], expected)
        assert other.settings == model.settings
        assert other.algorithm is model.algorithm
        with torch.no_grad():
            for parameter in other.parameters():
                parameter.zero_()
    assert torch.equal(model(batch).outputs["pi"], expected)


@pytest.mark.parametrize("processor", ["mpnn_g", "two_wl", "hybrid_sigmoid"])
def test_an_averaged_model_is_the_average(processor, batch_of):
    batch = batch_of("bfs")
    model = build(processor=processor)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.5))
    average.update_parameters(model)
    first = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    loss(model(batch), batch).backward()
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    average.update_parameters(model)
    for name, parameter in average.module.named_parameters():
        torch.testing.assert_close(parameter, (first[name] + dict(model.named_parameters())[name]) / 2)
    assert average(batch).outputs["pi"].isfinite().all()
    assert not torch.equal(average(batch).outputs["pi"], model(batch).outputs["pi"])


@pytest.mark.parametrize("processor", [*processors.names(), HYBRID])
def test_double_precision(processor, batch_of):
    single, batch = build(processor=processor), batch_of("bfs")
    double = copy.deepcopy(single).double()
    assert double(batch).outputs["pi"].dtype == torch.float64
    torch.testing.assert_close(double(batch).outputs["pi"].float(), single(batch).outputs["pi"], rtol=1e-4, atol=1e-5)


def test_double_precision_with_hints(batch_of):
    batch = batch_of("bfs", hints=True)
    for hints in hint_modes.names():
        assert build(hints=hints).double()(batch).outputs["pi"].dtype == torch.float64
