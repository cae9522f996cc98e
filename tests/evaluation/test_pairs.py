"""The pair metric: what a perfect, a stubborn and a guessing model get."""

from dataclasses import asdict

import numpy as np
import pytest
import torch

from narlab import data, models
from narlab.evaluation import measurement
from narlab.evaluation.metrics.pairs import PairOutcomes, pair_outcomes


@pytest.fixture(scope="module")
def two_communities():
    return data.load("bridges_two_communities", "bridges", "test")[:200]


@pytest.fixture(scope="module")
def truth(two_communities):
    return torch.from_numpy(two_communities.outputs["is_bridge"]).float()


def outcomes(predicted, truth, dataset):
    return pair_outcomes(predicted, truth, dataset.marks["joining_edge"])


def test_a_perfect_model_is_right_in_all_pairs(two_communities, truth):
    found = outcomes(truth, truth, two_communities)
    assert found == PairOutcomes(100, 0, 0, 0)
    assert found.accuracy == 1.0


def test_always_bridge_is_right_in_the_first_graph_only(two_communities, truth):
    found = outcomes(torch.ones_like(truth), truth, two_communities)
    assert found == PairOutcomes(0, 100, 0, 0)
    assert found.accuracy == 0.0


def test_never_bridge_is_right_in_the_second_graph_only(two_communities, truth):
    assert outcomes(torch.zeros_like(truth), truth, two_communities) == PairOutcomes(0, 0, 100, 0)


def test_the_opposite_of_the_truth_is_wrong_in_both(two_communities, truth):
    assert outcomes((truth != 1).float(), truth, two_communities) == PairOutcomes(0, 0, 0, 100)


def test_only_the_joining_edge_counts(two_communities, truth):
    predicted = 1 - truth.clamp_min(0)
    u, v = two_communities.marks["joining_edge"].T
    graph = np.arange(200)
    predicted[graph, u, v] = truth[graph, u, v]
    assert outcomes(predicted, truth, two_communities).accuracy == 1.0


def test_a_guess_is_right_in_a_quarter():
    truth = torch.tensor([1.0, 0.0]).repeat(4000)[:, None, None].expand(-1, 2, 2)
    guess = (torch.rand(8000, 2, 2, generator=torch.Generator().manual_seed(0)) < 0.5).float()
    found = pair_outcomes(guess, truth, np.array([[0, 1]] * 8000))
    assert found.count == 4000
    assert found.accuracy == pytest.approx(0.25, abs=0.03)


@pytest.mark.parametrize("count", [0, 3])
def test_half_a_pair_is_refused(two_communities, truth, count):
    with pytest.raises(ValueError, match=f"graphs come in pairs, got {count} of them"):
        outcomes(truth[:count], truth[:count], two_communities[:count])


def test_measure_has_pairs_where_the_data_set_has(two_communities):
    model = models.build("bridges", hidden=8, depth=2)
    with torch.no_grad():
        for parameter in model.decoders.parameters():
            parameter.zero_()
        model.decoders.by_name["is_bridge"].of_first.bias += 1.0  # always "bridge"
    found = measurement.measure(model, two_communities[:20])
    assert found.details["pairs"] == {"accuracy": 0.0, **asdict(PairOutcomes(0, 10, 0, 0))}
    assert found.row()["pairs"] == found.row()["pairs_accuracy"] == found.scores["pairs"] == 0.0
    assert found.row()["pairs_right_wrong"] == 10
    assert measurement.measure(model, data.custom("bridges", n=6, count=4)).details == {}
