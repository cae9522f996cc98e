"""The benchmark's own answers are valid, on everything that it draws and on what we draw besides."""

import numpy as np
import pytest

from narlab import algorithms, data
from narlab.data import datasets

from .instances import GRAPHS

COUNT = 10_000
CONTROLLED = ("l_clrs_len", "l_clrs_deg", "l_clrs_len_deg")
FAMILIES = ("er:p=0.1", "er:p=0.9", "er_strict:p=0.3", "regular:k=4", "tree", "path", "ring", "ba:m=2")


def assert_valid(made):
    algorithm = algorithms.get(made.algorithm)
    verdicts = algorithm.verdicts(made.inputs, made.outputs)
    assert verdicts.valid.all(), f"{made}: instance {int(np.flatnonzero(~verdicts.valid)[0])} is not valid"
    assert all(elements.all() for elements in verdicts.elements)
    if algorithm.has_value:
        np.testing.assert_array_equal(verdicts.gap, 0)


@pytest.mark.parametrize("name", algorithms.CLRS_30)
@pytest.mark.parametrize("split", [pytest.param("train", marks=pytest.mark.slow), "val", "test"])
def test_official_splits(name, split):
    assert_valid(data.load("clrs", name, split))


@pytest.mark.slow
@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_ten_thousand_instances(name):
    assert_valid(data.custom(name, n=16, count=COUNT, seed=12))


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_no_defects_are_found(name):
    made = data.custom(name, n=16, count=20, seed=13)
    assert not any(algorithms.get(name).defects(made.inputs, made.outputs))


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_controlled_data_sets(name):
    assert_valid(data.load("l_clrs", name, "train")[:200])  # it is tested on the official split
    for dataset in CONTROLLED:
        if name in datasets.get(dataset).ALGORITHMS:
            assert_valid(data.load(dataset, name, "train")[:200])
            assert_valid(data.load(dataset, name, "test")[:200])


def test_bridges_between_two_communities():
    for split in datasets.get("bridges_two_communities").SPLITS:
        assert_valid(data.load("bridges_two_communities", "bridges", split)[:200])


@pytest.mark.parametrize("name", GRAPHS)
def test_other_families_of_graphs(name):
    for family in FAMILIES:
        assert_valid(data.custom(name, n=24, count=100, seed=14, graphs=family))
