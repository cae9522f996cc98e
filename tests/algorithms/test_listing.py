"""Which algorithms there are and how they are found."""

import pytest

from narlab import algorithms
from narlab.specs import Stage, Type


def test_there_are_30():
    assert len(algorithms.CLRS_30) == 30


def test_the_24_distinct_tasks_stand_for_30():
    assert len(algorithms.DISTINCT) == 24
    assert sum(algorithms.DISTINCT.values()) == 30
    assert set(algorithms.DISTINCT) <= set(algorithms.CLRS_30)


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_the_file_is_the_algorithm(name):
    algorithm = algorithms.get(name)
    assert algorithm.name == name
    assert [*algorithm.inputs, *algorithm.outputs, *algorithm.hints] == list(algorithm.probes)
    assert all(probe.type is not Type.SCALAR for probe in algorithm.outputs)
    assert algorithm.family in FAMILIES


FAMILIES = (
    "sorting",
    "searching",
    "divide_and_conquer",
    "greedy",
    "dynamic_programming",
    "graphs",
    "strings",
    "geometry",
)


def test_permutations_read_as_plain_pointers():
    sorts = ("bubble_sort", "heapsort", "insertion_sort", "quicksort")
    permutations = {
        name
        for name in algorithms.CLRS_30
        for probe in algorithms.get(name).probes
        if probe.permutation and probe.stage is Stage.OUTPUT and probe.type is Type.POINTER
    }
    assert permutations == set(sorts)


def test_an_unknown_algorithm_is_refused_with_the_nearest_name():
    with pytest.raises(ValueError, match=r"unknown algorithm 'bsf'; did you mean 'bfs'\? Known: activity_selector, "):
        algorithms.get("bsf")
