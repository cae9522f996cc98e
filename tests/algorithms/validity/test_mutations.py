"""One element of an answer is changed at random: `valid` and all that goes with it say what the definition says."""

import numpy as np
import pytest

from narlab import algorithms

from .definitions import DEFINITIONS
from .formats import Format
from .instances import ORDERED, batched, dyadic, instances, joined, relabelled, sample

SIZE = 6
MUTATIONS = 20  # of the answer to an instance


def mutants(name, given, rng):
    """Inputs and outputs [count, ...]: the benchmark's own answer to each instance, and changed ones."""
    algorithm = algorithms.get(name)
    inputs = joined([batched(instance, 1 + MUTATIONS) for instance in given])
    form = Format(algorithm, inputs["pos"].shape[1])
    own = form.codes(algorithm.execute(inputs, hints=False).outputs)
    changed = form.mutated(own, rng)
    changed[:: 1 + MUTATIONS] = own[:: 1 + MUTATIONS]
    return inputs, form.outputs(changed)


def judged(name, given, outputs):
    """By the definition: which answers are right, [count], and their gaps, [count], or None if there is no value."""
    problems = [problem for problem in map(DEFINITIONS[name], given) for _ in range(1 + MUTATIONS)]
    answers = [sample(outputs, b) for b in range(len(problems))]
    right = np.array([problem.is_right(answer) for problem, answer in zip(problems, answers, strict=True)])
    if problems[0].gap is None:
        return right, None
    return right, np.array([problem.gap(answer) for problem, answer in zip(problems, answers, strict=True)])


@pytest.mark.parametrize("name", algorithms.CLRS_30)
@pytest.mark.parametrize("draw", [instances, pytest.param(dyadic, marks=pytest.mark.slow)])
def test_a_mutant_is_valid_exactly_if_the_definition_says_so(name, draw):
    algorithm, rng = algorithms.get(name), np.random.default_rng(7)
    given = list(draw(name, SIZE, 12, seed=6))
    inputs, outputs = mutants(name, given, rng)
    right, gap = judged(name, given, outputs)
    assert not right.all()
    verdicts = algorithm.verdicts(inputs, outputs)
    np.testing.assert_array_equal(verdicts.valid, right)
    assert [not found for found in algorithm.defects(inputs, outputs)] == right.tolist()
    for elements in verdicts.elements:
        assert elements[right].all()
    assert algorithm.has_value == (gap is not None)
    if gap is not None:
        np.testing.assert_allclose(algorithm.optimality_gap(inputs, outputs), gap, rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in algorithms.CLRS_30 if name not in ORDERED])
def test_other_names_of_the_nodes_change_no_verdict(name):
    algorithm, rng = algorithms.get(name), np.random.default_rng(8)
    drawn = algorithm.sample(16, 50, seed=6, stream="fast")
    inputs, outputs = mutants(name, [sample(drawn, b) for b in range(50)], rng)
    order = rng.permutation(16)
    before = algorithm.verdicts(inputs, outputs)
    after = algorithm.verdicts(relabelled(name, inputs, order), relabelled(name, outputs, order))
    np.testing.assert_array_equal(after.valid, before.valid)
    np.testing.assert_allclose(after.gap, before.gap, rtol=1e-9)
    elements = dict(zip((probe.name for probe in algorithm.outputs), before.elements, strict=True))
    for array, expected in zip(after.elements, elements.values(), strict=True):
        moved = expected[:, order] if expected.ndim > 1 else expected
        np.testing.assert_array_equal(array, moved[:, :, order] if expected.ndim > 2 else moved)
