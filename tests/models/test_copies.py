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


@pytest.mark.parametrize("settings", [{"processor": "triangle", "readout": "pairs"}, {"hints": "encoded_decoded"}, {}])
def test_the_last_of_its_states_is_what_is_read(settings, batch_of):
    model, batch = build(**settings).eval(), batch_of("bfs", hints=True)
    states = model.states(batch)
    assert len(states) == (batch.hints["pi_h"].shape[1] - 1 if "hints" in settings else 2)
    graphs, nodes = batch.size
    assert all(state.h.shape == (graphs, nodes, 8) for state in states)
    if "hints" in settings:
        return
    seen = []
    model.decoders.register_forward_hook(lambda module, given, said: seen.append(given[0]))
    model(batch)
    torch.testing.assert_close(seen[-1].node[2], states[-1].h)
    longer = model.states(batch, depth=4)
    assert len(longer) == 4
    assert torch.equal(longer[1].h, states[1].h)


def test_torch_save_keeps_the_whole_network(tmp_path, batch_of):
    model, batch = build(processor="triangle", relations=True, position="order", readout="pairs"), batch_of("bfs")
    torch.save(model, tmp_path / "model.pt")
    again = torch.load(tmp_path / "model.pt", weights_only=False)
    assert torch.equal(again(batch).outputs["pi"], model(batch).outputs["pi"])
    torch.save(model.state_dict(), tmp_path / "weights.pt")
    again.load_state_dict(torch.load(tmp_path / "weights.pt"))
