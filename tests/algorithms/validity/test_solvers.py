"""Other people's solvers give valid answers, however they break ties and whatever the nodes are called."""

import numpy as np
import pytest
from scipy.spatial import QhullError

from narlab import algorithms

from .graph_solvers import SOLVERS as GRAPH_SOLVERS
from .instances import ORDERED, batched, instances, joined, relabelled, sample
from .sequence_solvers import SOLVERS as SEQUENCE_SOLVERS

SOLVERS = GRAPH_SOLVERS | SEQUENCE_SOLVERS


def all_solved(name, given, rng):
    """The instances that a solver can solve and its answers, over all solvers, [count, ...]."""
    inputs, outputs = [], []
    for solve in SOLVERS[name]:
        for instance in given:
            try:
                answer = solve(instance, rng)
            except QhullError:  # the points are on one line
                continue
            inputs.append(batched(instance, 1))
            outputs.append(batched({key: np.asarray(array) for key, array in answer.items()}, 1))
    return joined(inputs), joined(outputs)


def tied(name):
    return list(instances(name, 9, 25, seed=9))


def sampled(name):
    drawn = algorithms.get(name).sample(16, 15, seed=5, stream="fast")
    return [sample(drawn, b) for b in range(15)]


@pytest.mark.parametrize("name", algorithms.CLRS_30)
@pytest.mark.parametrize("draw", [tied, sampled])
def test_their_answers_are_valid(name, draw):
    algorithm, rng = algorithms.get(name), np.random.default_rng(3)
    inputs, outputs = all_solved(name, draw(name), rng)
    verdicts = algorithm.verdicts(inputs, outputs)
    assert verdicts.valid.all(), f"instance {int(np.flatnonzero(~verdicts.valid)[0])}"
    assert all(elements.all() for elements in verdicts.elements)
    assert not any(algorithm.defects(inputs, outputs))
    if algorithm.has_value:
        np.testing.assert_array_equal(verdicts.gap, 0)
    if name not in ORDERED:
        order = rng.permutation(inputs["pos"].shape[1])
        assert algorithm.valid(relabelled(name, inputs, order), relabelled(name, outputs, order)).all()
