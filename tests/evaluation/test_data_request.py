"""Generated graphs for an evaluation are nobody's training, validation or test data."""

import numpy as np
import pytest

from narlab import data
from narlab.common.errors import UsageError
from narlab.data import datasets
from narlab.evaluation.data_request import EVALUATION, DataRequest, data_seed
from narlab.training import Run

SPLITS = ("train", "val", "test")


def fingerprints(inputs):
    """A sample's inputs as bytes, of all samples."""
    return {b"".join(inputs[name][k].tobytes() for name in sorted(inputs)) for k in range(len(inputs["pos"]))}


@pytest.mark.parametrize(
    "run",
    [
        Run("bfs", dataset="l_clrs"),
        Run("insertion_sort", dataset="l_clrs"),
        Run("bfs", dataset="l_clrs_len"),
        Run("bfs", dataset="custom", n=16, graphs="er:p=0.3"),
    ],
    ids=lambda run: f"{run.algorithm}-{run.dataset}",
)
@pytest.mark.parametrize("seed", [0, 1, 2, 3, EVALUATION + 1])
def test_no_sample_of_a_run_is_generated(run, seed):
    own = {split: run.split(split) for split in SPLITS}
    sizes = ",".join(str(n) for n in {own[split].description.n for split in SPLITS})
    families = {own[split].description.graphs for split in SPLITS} - {None}
    found = DataRequest(sizes=sizes, graphs=",".join(families) or None, count=50, seed=seed).datasets(own["test"])
    generated = set().union(*(fingerprints(dataset.inputs) for dataset in found))
    assert len(generated) == 50 * len(found)
    for dataset in own.values():
        narrow = {name: array.astype(found[0].inputs[name].dtype) for name, array in dataset[:2000].inputs.items()}
        assert not generated & fingerprints(narrow)


def test_every_named_data_set_has_seeds_without_the_bit():
    for name in datasets.CATALOGUE.own_names:
        module = datasets.get(name)
        for split in module.SPLITS:
            assert module.describe((module.ALGORITHMS or ("bfs",))[0], split).seed < EVALUATION


def test_seeds_give_different_graphs_that_can_be_made_again():
    own = data.load("l_clrs", "bfs", "test")
    first, second = (DataRequest(sizes="8", count=5, seed=seed).datasets(own)[0] for seed in (1, 2))
    again = data.custom("bfs", n=8, count=5, seed=data_seed(1))
    np.testing.assert_array_equal(first.inputs["A"], again.inputs["A"])
    assert not np.array_equal(first.inputs["A"], second.inputs["A"])
    assert data_seed(1) != data_seed(2)


def test_a_seed_has_32_bits():
    own = data.load("l_clrs", "bfs", "test")
    with pytest.raises(UsageError, match=r"seed must be below 2\*\*32"):
        DataRequest(sizes="8", seed=2**32).datasets(own)
