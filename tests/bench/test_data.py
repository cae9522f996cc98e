"""What `narlab bench data` measures is what it says."""

import pytest

from narlab import algorithms, data
from narlab.bench.data import JudgingRate, _answers_to_others, judging_rates


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
