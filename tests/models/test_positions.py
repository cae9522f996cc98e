"""Position encodings and random features."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from narlab import data, models
from narlab.models import positions
from narlab.models.batch import RANDOM_FEATURES, random_features, random_positions
from narlab.models.encoders import adjacency


def values(position, batch, *, training=False):
    return positions.get(position)().values(batch, training)


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_scalar(batch_of):
    batch = batch_of("bfs", n=5)
    for training in (True, False):
        torch.testing.assert_close(values("scalar", batch, training=training), torch.arange(5.0).expand(3, 5) / 5)


def test_the_two_strings_of_a_task_have_a_ramp_each(batch_of):
    pos = values("scalar", batch_of("lcs_length", n=6))
    torch.testing.assert_close(pos[0], torch.tensor([0, 1 / 3, 2 / 3, 0, 1 / 3, 2 / 3]))


def test_random_scalar_in_evaluation_is_scalar(batch_of):
    batch = batch_of("bfs")
    assert torch.equal(values("random_scalar", batch), batch.inputs["pos"])


def test_random_scalar_in_training(batch_of):
    batch = batch_of("bfs", n=8, count=1000)
    drawn = values("random_scalar", batch, training=True)
    replaced = (drawn != batch.inputs["pos"]).any(1)
    assert abs(int(replaced.sum()) - 500) < 64  # four deviations
    assert torch.equal(drawn[~replaced], batch.inputs["pos"][~replaced])
    assert (drawn >= 0).all()
    assert (drawn <= 1).all()
    assert (drawn.diff(dim=1) >= 0).all()
    # The k-th of 8 sorted uniform numbers has mean k / 9.
    torch.testing.assert_close(drawn[replaced].mean(0), torch.arange(1.0, 9) / 9, rtol=0, atol=0.03)


def test_random_positions_follow_the_order_of_pos():
    pos = torch.tensor([[0.6, 0.0, 0.2, 0.8, 0.4]]).expand(64, 5)
    drawn = random_positions(pos, generator())
    assert (drawn[:, [1, 2, 4, 0, 3]].diff(dim=1) >= 0).all()
    assert (drawn != pos).any(1).sum() > 10


def test_random_positions_of_two_strings():
    """Equal positions are taken in the order of their nodes."""
    pos = torch.tensor([[0.0, 0.5, 0.0, 0.5]]).expand(64, 4)
    drawn = random_positions(pos, generator())
    replaced = (drawn != pos).any(1)
    assert replaced.any()
    assert (drawn[replaced][:, [0, 2, 1, 3]].diff(dim=1) >= 0).all()


def test_sinusoidal(batch_of):
    code = values("sinusoidal", batch_of("bfs", n=6))
    assert code.shape == (3, 6, 16)
    for i in range(6):
        for c in range(16):
            angle = i / 10000 ** (2 * (c // 2) / 16)
            expected = math.sin(angle) if c % 2 == 0 else math.cos(angle)
            assert code[:, i, c].tolist() == pytest.approx([expected] * 3, abs=1e-6)


def test_edge_position(batch_of):
    batch = batch_of("bfs", n=4, count=2)
    first = [[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert values("edge_position", batch).tolist() == [first, first]


@pytest.mark.parametrize("position", positions.names())
def test_no_position_enters_the_adjacency(position, batch_of):
    batch = batch_of("bfs")
    probe = positions.get(position).probe
    assert adjacency([probe], {"pos": values(position, batch)}, 6) is None


@pytest.mark.parametrize("position", positions.names())
def test_the_adjacency_is_that_of_the_graph(position, batch_of):
    batch = batch_of("bfs")
    seen = []
    model = models.build("bfs", processor="mpnn_fc", position=position, hidden=8, depth=1)
    model.uses_kernels = False
    prepare = model.processor.prepare
    model.processor.prepare = lambda features, topology: seen.append(topology.graphs) or prepare(features, topology)
    model(batch)
    assert seen[0].given
    assert torch.equal(seen[0].adjacency, (batch.inputs["adj"] + batch.inputs["adj"].transpose(1, 2)) > 0)


@pytest.mark.parametrize("position", positions.names())
def test_training_and_evaluation_differ_only_for_random_scalar(position, batch_of):
    batch = batch_of("bfs", count=8)
    model = models.build("bfs", processor="mpnn_fc", position=position, hidden=8, depth=2)
    with torch.no_grad():
        trained, evaluated = (model.train(training)(batch).outputs["pi"] for training in (True, False))
    assert torch.equal(trained, evaluated) == (position != "random_scalar")


@pytest.mark.parametrize("position", positions.names())
def test_which_positions_a_model_sees(position, batch_of):
    """`pos` itself reaches only the models of scalar encodings."""
    batch = batch_of("bfs")
    model = models.build("bfs", processor="mpnn_fc", position=position, hidden=8, depth=2).eval()
    shifted = replace(batch, inputs={**batch.inputs, "pos": batch.inputs["pos"] + 0.5})
    with torch.no_grad():
        same = torch.equal(model(batch).outputs["pi"], model(shifted).outputs["pi"])
    assert same == (position in ("sinusoidal", "edge_position", "order"))


# Random features


@pytest.mark.parametrize("nodes", [1, 4, 15, 16, 17, 64])
def test_random_features_are_orthonormal(nodes):
    features = random_features(3, nodes, generator())
    assert features.shape == (3, nodes, RANDOM_FEATURES)
    width = min(nodes, 16)
    gram = features.transpose(1, 2) @ features
    expected = torch.diag((torch.arange(16) < width).float()).expand(3, 16, 16)
    torch.testing.assert_close(gram, expected, rtol=0, atol=1e-5)
    assert (features[:, :, width:] == 0).all()


def test_random_features_are_those_of_the_whole_matrix():
    """The first 16 columns of Q depend on the first 16 columns of the matrix alone."""
    gaussian = np.random.default_rng(0).standard_normal((40, 40))
    whole, part = np.linalg.qr(gaussian).Q[:, :16], np.linalg.qr(gaussian[:, :16]).Q
    np.testing.assert_allclose(whole, part, atol=1e-12)


def test_random_features_come_from_the_generator():
    one, again, other = (random_features(4, 20, generator(seed)) for seed in (1, 1, 2))
    assert torch.equal(one, again)
    assert not torch.equal(one, other)
    going_on = generator(1)
    random_features(4, 20, going_on)
    assert not torch.equal(one, random_features(4, 20, going_on))
    for b in range(3):
        assert (one[b] - one[b + 1]).abs().max() > 0.1


def test_a_batch_s_seed_decides_all_that_is_random():
    dataset = data.custom("bfs", n=8, count=16, seed=1)
    one, again, other = (models.make_batch(dataset, seed) for seed in (3, torch.Generator().manual_seed(3), 4))
    for part in ("random_features", "random_pos"):
        assert torch.equal(getattr(one, part), getattr(again, part))
        assert not torch.equal(getattr(one, part), getattr(other, part))
    assert one.seed == again.seed != other.seed


def test_random_features_reach_the_model(batch_of):
    batch = batch_of("bfs")
    model = models.build("bfs", hidden=8, depth=1)
    others = replace(batch, random_features=random_features(3, 6, generator(9)))
    with torch.no_grad():
        assert not torch.equal(model(batch).outputs["pi"], model(others).outputs["pi"])
