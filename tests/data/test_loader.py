"""A data set in PyTorch's own hands: one sample by its index, batches by a `DataLoader`."""

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from narlab import data, models


def test_an_index_gives_one_sample():
    dataset = data.custom("bfs", n=6, count=5, hints=True)
    for k in (0, 3, -1):
        sample = dataset[k]
        np.testing.assert_array_equal(sample.inputs["A"], dataset.inputs["A"][k])
        np.testing.assert_array_equal(sample.outputs["pi"], dataset.outputs["pi"][k])
        assert sample.length == dataset.lengths[k] == len(sample.hints["pi_h"])
    assert len(list(dataset)) == 5
    with pytest.raises(IndexError, match="sample 5 of a data set of 5"):
        dataset[5]


def test_the_plain_loader_makes_tensors():
    dataset = data.custom("dfs", n=6, count=10, hints=True)
    batches = list(DataLoader(dataset, batch_size=4))
    assert [len(batch.length) for batch in batches] == [4, 4, 2]
    np.testing.assert_array_equal(torch.cat([batch.outputs["pi"] for batch in batches]), dataset.outputs["pi"])
    rows = batches[0].hints["pi_h"]
    np.testing.assert_array_equal(rows, dataset.hints["pi_h"][:4, : rows.shape[1]])


def test_collate_makes_the_batch_that_models_take():
    dataset = data.custom("dfs", n=6, count=8, hints=True)
    (batch,) = DataLoader(dataset, batch_size=8, collate_fn=models.collate)
    expected = models.make_batch(dataset)
    for found, wanted in ((batch.inputs, expected.inputs), (batch.hints, expected.hints)):
        assert all(torch.equal(found[name], wanted[name]) for name in wanted)
    assert torch.equal(batch.lengths, expected.lengths)
    assert models.build("dfs", hidden=8, hints="encoded_decoded")(batch).hints["pi_h"].shape[0] == 8
    mixed = models.collate([dataset[0], dataset[int(dataset.lengths.argmax())]])  # of different lengths
    assert mixed.hints["pi_h"].shape[1] == dataset.lengths.max()


def test_worker_processes_read_it_too():
    dataset = data.custom("bfs", n=6, count=8)
    loader = DataLoader(dataset, batch_size=4, num_workers=1, collate_fn=models.collate, multiprocessing_context="fork")
    found = torch.cat([batch.outputs["pi"] for batch in loader])
    np.testing.assert_array_equal(found, dataset.outputs["pi"])
