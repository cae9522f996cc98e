"""What `narlab bench data` measures is what it says."""

from types import SimpleNamespace

import pytest

from narlab import algorithms, data
from narlab.bench import data as bench
from narlab.bench.data import BATCH, BatchRate, JudgingRate, Speed, _answers_to_others, batch_rates, judging_rates


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_answers_to_other_instances_are_mostly_wrong(name):
    made = data.custom(name, n=8, count=64)
    assert algorithms.get(name).valid(made.inputs, _answers_to_others(made)).mean() < 0.7


def test_judging_is_measured_at_each_size():
    rates = list(judging_rates(("bridges", "lcs_length"), sizes=(4, 6), repeats=1))
    assert [(rate.algorithm, rate.n) for rate in rates] == [
        ("bridges", 4),
        ("lcs_length", 4),
        ("bridges", 6),
        ("lcs_length", 6),
    ]
    assert all(rate.slower == min(rate.right, rate.wrong) > 0 for rate in rates)


def test_the_slower_rate_counts():
    assert JudgingRate("bfs", 16, right=3.0, wrong=2.0).slower == 2.0


def test_batches_of_both_samplers_are_measured_in_turns(monkeypatch):
    taken = []

    def builder(who):
        def build_sampler(name, **options):
            assert options == {"num_samples": -1, "length": 8, "seed": 1}
            return SimpleNamespace(next=lambda size: taken.append((who, name, size))), None

        return build_sampler

    monkeypatch.setattr(bench, "_dm_clrs_module", lambda: SimpleNamespace(build_sampler=builder("theirs")))
    monkeypatch.setattr(bench, "PEER_SECONDS", 0.001)
    monkeypatch.setattr(bench, "WARM_UP_SECONDS", 0.0)
    rates = list(batch_rates(builder("ours"), ("bfs", "dfs"), sizes=(8,), repeats=2))
    turns = [batch for k, batch in enumerate(taken) if k == 0 or batch != taken[k - 1]]
    assert turns == [(who, name, BATCH) for name in ("bfs", "dfs") for who in ("ours", "theirs") * 2]
    assert [(rate.algorithm, rate.n) for rate in rates] == [("bfs", 8), ("dfs", 8)]
    assert all(min(*rate.narlab, *rate.dm_clrs) > 0 for rate in rates)


def test_ratios_of_batches():
    rate = BatchRate("bfs", 16, narlab=Speed(600.0, 300.0), dm_clrs=Speed(3.0, 2.0), others=None)
    assert (rate.ratio, rate.ratio_per_core) == (200.0, 150.0)
