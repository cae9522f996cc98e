"""Intervals: around the very scores, the same every time, as a plain bootstrap gives them, and fast."""

from time import process_time
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from narlab import algorithms, data
from narlab.evaluation import bootstrap
from narlab.evaluation.bootstrap import RESAMPLES, TAILS, Interval
from narlab.evaluation.metrics import Counts, share
from narlab.evaluation.metrics.graph_score import graph_counts
from narlab.evaluation.metrics.score import element_counts
from narlab.evaluation.scores import counts_of_values, element_score, graph_score, scores_of_values
from narlab.models import make_batch
from narlab.specs import Type

# masks of nodes, edges and graphs; pointers of nodes and edges; one-hots of nodes and edges
NAMES = (
    "articulation_points",
    "bridges",
    "segments_intersect",
    "bfs",
    "floyd_warshall",
    "minimum",
    "lcs_length",
    "topological_sort",
)


def intervals(name, predicted, truth, seed=0):
    """The intervals around `scores_of_values` of the same arguments."""
    return SimpleNamespace(**bootstrap.intervals(counts_of_values(name, predicted, truth), seed=seed))


def answers(name, count=40, n=5, wrong=0.2, seed=0):
    """A model's answers of which about `wrong` are another graph's, and the truth."""
    truth = make_batch(data.custom(name, n=n, count=count, seed=seed)).outputs
    generator = torch.Generator().manual_seed(seed)
    predicted = {}
    for probe in algorithms.get(name).outputs:
        values = truth[probe.name]
        other = values[torch.randperm(count, generator=generator)]
        shape = values.shape[:-1] if probe.type in (Type.MASK_ONE, Type.CATEGORICAL) else values.shape
        swapped = torch.rand(shape, generator=generator) < wrong
        predicted[probe.name] = torch.where(
            swapped.reshape(swapped.shape + (1,) * (values.ndim - swapped.ndim)), other, values
        )
    return predicted, truth


@pytest.mark.parametrize("name", NAMES)
def test_the_counts_of_all_graphs_give_the_scores_exactly(name):
    predicted, truth = answers(name)
    for probe in algorithms.get(name).outputs:
        given = (probe, predicted[probe.name], truth[probe.name])
        for counted, score in ((element_counts, element_score), (graph_counts, graph_score)):
            counts = counted(*given)
            assert len(counts.values) == 40
            assert float(counts.score(counts.values.sum(0))) == score(*given)
            assert 0 < score(*given) < 1


@pytest.mark.parametrize("name", NAMES)
def test_scores_lie_inside(name):
    predicted, truth = answers(name)
    found, scores = intervals(name, predicted, truth), scores_of_values(name, predicted, truth)
    assert 0 <= found.score.low < scores.score < found.score.high <= 1
    assert 0 <= found.graph_score.low < scores.graph_score < found.graph_score.high <= 1


def test_a_seed_decides():
    given = answers("bfs")
    assert intervals("bfs", *given) == intervals("bfs", *given)
    assert intervals("bfs", *given) != intervals("bfs", *given, seed=1)


@pytest.mark.parametrize("name", ["bridges", "topological_sort"])
def test_a_plain_bootstrap_over_predictions_gives_the_same(name):
    predicted, truth = answers(name)
    generator = np.random.default_rng(0)  # the same draws
    chosen = generator.integers(40, size=(RESAMPLES, 40))
    drawn = [
        scores_of_values(
            name,
            {key: values[each] for key, values in predicted.items()},
            {key: values[each] for key, values in truth.items()},
        )
        for each in torch.from_numpy(chosen)
    ]
    found = intervals(name, predicted, truth)
    for interval, values in (
        (found.score, [scores.score for scores in drawn]),
        (found.graph_score, [scores.graph_score for scores in drawn]),
    ):
        assert np.quantile(values, TAILS) == pytest.approx([interval.low, interval.high], abs=1e-12)


def test_more_graphs_narrow_the_interval():
    few, many = (intervals("bfs", *answers("bfs", count=count)) for count in (20, 2000))
    assert many.score.high - many.score.low < 0.2 * (few.score.high - few.score.low)


def test_about_95_percent_of_the_intervals_hold_the_true_score():
    held = 0
    for seed in range(60):
        generator = torch.Generator().manual_seed(seed)
        truth = {"pi": torch.zeros(100, 4, dtype=torch.int64)}
        predicted = {"pi": (torch.rand(100, 4, generator=generator) < 0.3).long()}
        found = intervals("bfs", predicted, truth).score
        held += found.low <= 0.7 <= found.high
    assert 52 <= held <= 60


def test_a_perfect_model_and_a_single_graph_have_a_point():
    _, truth = answers("bridges")
    perfect = intervals("bridges", truth, truth)
    assert (perfect.score.low, perfect.score.high, perfect.graph_score.low) == (1.0, 1.0, 1.0)
    predicted, truth = answers("bfs", count=1, n=8, seed=3)
    single = intervals("bfs", predicted, truth)
    assert single.score.low == single.score.high == scores_of_values("bfs", predicted, truth).score


def test_2048_graphs_take_no_time():
    predicted, truth = answers("bridges", count=2048, n=16)
    began = process_time()
    intervals("bridges", predicted, truth)
    assert process_time() - began < 1.0


def test_resamples_in_pieces_are_the_same(monkeypatch):
    predicted, truth = answers("bfs")
    whole = intervals("bfs", predicted, truth)
    monkeypatch.setattr("narlab.evaluation.bootstrap.MOST_DRAWS", 40 * 64)
    assert intervals("bfs", predicted, truth) == whole


def gaps(*values):
    """The counts of a metric that is a mean over graphs."""
    return {"gap": [Counts(np.stack([np.array(values, float), np.ones(len(values))], 1), share)]}


def test_an_infinite_graph_counts_only_where_it_is_drawn():
    """One graph in 100 has no finite value: the mean is infinite, and in a third of the resamples it is not drawn."""
    found = bootstrap.intervals(gaps(np.inf, *[1.0] * 99))["gap"]
    assert found == Interval(1.0, np.inf)
    assert gaps(np.inf, *[1.0] * 99)["gap"][0].value == np.inf
    assert bootstrap.intervals(gaps(np.inf, np.inf))["gap"] == Interval(np.inf, np.inf)
    assert bootstrap.intervals(gaps(-np.inf, *[1.0] * 99))["gap"] == Interval(-np.inf, 1.0)


def test_the_end_of_an_interval_may_lie_between_a_number_and_infinity():
    values = np.array([0.0, *np.full(RESAMPLES - 1, np.inf)])
    assert bootstrap.interval_of(values) == Interval(np.inf, np.inf)
    finite = int(0.975 * (RESAMPLES - 1)) + 1  # the upper tail lies half way from the last finite value to infinity
    values = np.array([*np.zeros(finite), *np.full(RESAMPLES - finite, np.inf)])
    assert bootstrap.interval_of(values) == Interval(0.0, np.inf)


def test_a_value_that_is_not_known_has_no_interval():
    found = bootstrap.intervals(gaps(np.nan, 1.0))["gap"]
    assert np.isnan([found.low, found.high]).all()


def test_pairs_are_drawn_as_pairs_and_leave_the_other_intervals_alone():
    counts = counts_of_values("bfs", *answers("bfs"))
    pairs = Counts(np.eye(4)[[0, 1, 2, 3] * 5], lambda sums: sums[..., 0] / sums.sum(-1))  # 20 rows, others have 40
    both = bootstrap.intervals({"pairs": [pairs], **counts})
    assert {name: both[name] for name in counts} == bootstrap.intervals(counts)
    assert both["pairs"] == bootstrap.intervals({"pairs": [pairs]})["pairs"]
    assert 0 <= both["pairs"].low < 0.25 < both["pairs"].high < 0.6
