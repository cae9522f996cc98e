"""Predictions on a whole data set: every sample once, in order, in batches that fit the machine."""

import pytest
import torch

from narlab import data, models
from narlab.evaluation import predict, prediction
from narlab.evaluation.prediction import batch_size


def test_batches_are_small_where_graphs_are_large():
    def sizes(processor):
        model = models.build("bfs", processor=processor, hidden=4, depth=1)
        return [batch_size(model, n) for n in (1, 4, 16, 64, 256, 4000)]

    assert sizes("mpnn_g") == sizes("gat") == sizes("hybrid_average") == [512, 512, 128, 8, 1, 1]
    assert sizes("two_wl_all_pairs") == [512, 512, 16, 1, 1, 1]


def test_kernels_have_a_graph_for_each_thread():
    model = models.build("bfs", hidden=4, depth=1)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        assert batch_size(model, 256) == 3
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("name", ["bfs", "bridges", "minimum"])
def test_all_samples_come_back_in_order(name):
    dataset = data.custom(name, n=16, count=300)  # 128 + 128 + 44
    told: list[int] = []
    predicted, truth = predict(models.build(name, hidden=4, depth=1), dataset, progress=told.append)
    assert told == [128, 128, 44]
    for key, values in dataset.outputs.items():
        assert predicted[key].shape == truth[key].shape == values.shape
        assert (truth[key].numpy() == values).all()


def test_a_seed_decides_and_the_mode_is_kept():
    model, dataset = models.build("bfs", hidden=8, depth=2), data.custom("bfs", n=8, count=20)
    first, second, other = (predict(model, dataset, seed=seed)[0]["pi"] for seed in (0, 0, 1))
    assert torch.equal(first, second)
    assert not torch.equal(first, other)
    assert model.training


def test_how_the_data_is_split_changes_nothing(monkeypatch):
    model = models.build("bfs", hidden=8, depth=3)
    dataset = data.custom("bfs", n=6, count=20, seed=1)
    whole, _ = prediction.predict(model, dataset, seed=3)
    monkeypatch.setattr(prediction, "batch_size", lambda model, nodes: 3)
    split, _ = prediction.predict(model, dataset, seed=3)
    torch.testing.assert_close(whole["pi"], split["pi"], rtol=0, atol=0)
