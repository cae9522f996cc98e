"""Valid answers of the algorithms without a graph: the benchmark's own, every other one that is right, and no more."""

import re
from itertools import product

import numpy as np
import pytest

from narlab import algorithms
from narlab.specs import Type

SORTS = ("bubble_sort", "heapsort", "insertion_sort", "quicksort")
MATCHERS = ("naive_string_matcher", "kmp_matcher")
HULLS = ("graham_scan", "jarvis_march")
TABLES = ("matrix_chain_order", "optimal_bst", "lcs_length")
SINGLE = ("minimum", "binary_search", "quickselect", *MATCHERS, "segments_intersect")
VALUED = (*TABLES, "find_maximum_subarray_kadane", "activity_selector", "task_scheduling")
NAMES = (*SORTS, *HULLS, *SINGLE, *VALUED)
COUNT = 200


def with_ties(name, inputs, rng):
    """The inputs with small integers for their numbers, so that most answers are decided by ties."""
    shape = inputs["pos"].shape
    several = {
        "binary_search": lambda: {"key": np.sort(rng.integers(0, 4, shape)), "target": rng.integers(-1, 5, shape[0])},
        "find_maximum_subarray_kadane": lambda: {"key": rng.integers(-2, 3, shape)},
        "matrix_chain_order": lambda: {"p": rng.integers(1, 4, shape)},
        "optimal_bst": lambda: {"p": rng.integers(1, 3, shape), "q": rng.integers(0, 3, shape)},
        "task_scheduling": lambda: {"d": rng.integers(1, shape[1] + 1, shape), "w": rng.integers(1, 4, shape)},
        "activity_selector": lambda: activities(rng.integers(0, 9, shape), rng.integers(1, 4, shape)),
    }
    if name in several:
        return inputs | several[name]()
    if "string" in inputs:
        return inputs | {"key": np.eye(4)[rng.integers(0, 2, shape)]}
    return inputs | {key: rng.integers(0, 4, shape) for key in inputs.keys() & {"key", "x", "y"}}


def activities(start, duration):
    return {"s": start, "f": start + duration}


def instances(name, n, *, ties):
    algorithm = algorithms.get(name)
    inputs = algorithm.sample(n, COUNT, seed=n)
    return with_ties(name, inputs, np.random.default_rng(n)) if ties else inputs


def changed(algorithm, outputs, rng):
    """The outputs with up to three random changes in each."""
    outputs = {name: array.copy() for name, array in outputs.items()}
    for probe in algorithm.outputs:
        for answer in outputs[probe.name].reshape(COUNT, -1, max(probe.categories, 1)):
            for _ in range(rng.integers(4)):
                element = rng.integers(len(answer))
                if probe.type is Type.POINTER:
                    answer[element] = rng.integers(outputs[probe.name].shape[1])
                elif probe.type is Type.MASK:
                    answer[element] = 1 - answer[element]
                elif probe.type is Type.MASK_ONE:
                    answer[:, 0] = np.arange(len(answer)) == element
                else:
                    answer[element] = np.arange(probe.categories) == rng.integers(probe.categories)
    return outputs


def anything(algorithm, inputs, rng):
    """Random outputs."""
    count, nodes = inputs["pos"].shape
    return {probe.name: random_output(probe, (count, *probe.shape(nodes)), nodes, rng) for probe in algorithm.outputs}


def random_output(probe, shape, nodes, rng):
    if probe.type is Type.POINTER:
        return rng.integers(0, nodes, shape)
    if probe.type is Type.MASK:
        return rng.integers(0, 2, shape)
    return np.eye(shape[-1])[rng.integers(0, shape[-1], shape[:-1])]


@pytest.mark.parametrize(("name", "ties"), [*product(NAMES, [False]), *product(sorted({*NAMES} - {*HULLS}), [True])])
def test_the_benchmark_s_own_answers_are_valid(name, ties):
    """All but hulls of points in a line: there the benchmark's own can be wrong."""
    algorithm = algorithms.get(name)
    for n in (algorithm.smallest, 4, 7, 16, 40):
        inputs = instances(name, n, ties=ties)
        verdicts = algorithm.verdicts(inputs, algorithm.execute(inputs, hints=False).outputs)
        assert verdicts.valid.all()
        assert all(elements.all() for elements in verdicts.elements)
        assert (verdicts.gap == 0).all() if algorithm.has_value else np.isnan(verdicts.gap).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ties", [False, True])
def test_verdicts_agree_with_each_other(name, ties):
    algorithm, rng = algorithms.get(name), np.random.default_rng(3)
    for n in (algorithm.smallest, 5, 11):
        inputs = instances(name, n, ties=ties)
        own = algorithm.execute(inputs, hints=False).outputs
        for answers in (changed(algorithm, own, rng), anything(algorithm, inputs, rng)):
            verdicts = algorithm.verdicts(inputs, answers)
            defects = algorithm.defects(inputs, answers)
            assert [not found for found in defects] == verdicts.valid.tolist()
            assert all(elements[verdicts.valid].all() for elements in verdicts.elements)
            assert all("\n" not in defect.text for found in defects for defect in found)
            if algorithm.has_value:
                assert ((verdicts.gap == 0) == verdicts.valid).all()
                assert (verdicts.gap >= 0).all()


@pytest.mark.parametrize("name", NAMES)
def test_an_element_of_the_benchmark_s_answer_is_right_in_any_answer(name):
    algorithm, rng = algorithms.get(name), np.random.default_rng(4)
    inputs = instances(name, 9, ties=False)
    own = algorithm.execute(inputs, hints=False).outputs
    answers = changed(algorithm, own, rng)
    for probe, elements in zip(algorithm.outputs, algorithm.verdicts(inputs, answers).elements, strict=True):
        same = answers[probe.name] == own[probe.name]
        one_hot = probe.type in (Type.MASK_ONE, Type.CATEGORICAL)
        assert elements[same.all(-1) if one_hot else same].all()
        assert name in SINGLE or not elements.all()


NO_NUMBERS = {
    ("quicksort", "pred", 6): "output 'pred' of instance 1 at node 2 must point to a node from 0 to 5, got 6",
    ("quicksort", "pred", 0.5): "output 'pred' of instance 1 at node 2 must point to a node from 0 to 5, got 0.5",
    ("quicksort", "pred", np.nan): "output 'pred' of instance 1 at node 2 must point to a node from 0 to 5, got nan",
    ("minimum", "min", 2): "output 'min' of instance 1 at node 2 must be 0 or 1, got 2",
    ("graham_scan", "in_hull", -1): "output 'in_hull' of instance 1 at node 2 must be 0 or 1, got -1",
    ("matrix_chain_order", "s", -1): "output 's' of instance 1 at pair 2, 3 must point to a node from 0 to 5, got -1",
    ("lcs_length", "b", np.nan): "output 'b' of instance 1 at pair 2, 3, 3 must be 0 or 1, got nan",
    ("lcs_length", "b", -1): "output 'b' of instance 1 at pair 2, 3, 3 must be 0 or 1, got -1",
}


@pytest.mark.parametrize(("name", "output", "value"), NO_NUMBERS)
def test_an_impossible_number_is_named_with_its_place(name, output, value):
    algorithm = algorithms.get(name)
    inputs = algorithm.sample(6, 3)
    outputs = {key: array.astype(float) for key, array in algorithm.execute(inputs).outputs.items()}
    outputs[output][(1, 2, 3, 3)[: outputs[output].ndim]] = value
    with pytest.raises(ValueError, match=f"^{re.escape(NO_NUMBERS[name, output, value])}"):
        algorithm.valid(inputs, outputs)


def test_wrong_names_shapes_and_inputs_are_one_line():
    def refused(name, message, **changes):
        algorithm = algorithms.get(name)
        inputs = algorithm.sample(6, 3)
        arrays = {**inputs, **algorithm.execute(inputs).outputs, **changes}
        answers = {key: array for key, array in arrays.items() if key not in inputs and array is not None}
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            algorithm.valid({key: arrays[key] for key in inputs}, answers)

    refused("heapsort", "heapsort misses the output 'pred'; its outputs: pred", pred=None)
    refused("minimum", "minimum has no output 'mini'; did you mean 'min'? Its outputs: min", mini=np.eye(6)[:3])
    refused("minimum", "output 'min' must have shape [3, 6], got [2, 6]", min=np.eye(6)[:2])
    refused("binary_search", "input 'key' must be ascending", key=-np.arange(18.0).reshape(3, 6))
    late = "input 's' must not be above 'f', got 2 > 1 at node 0 of instance 0"
    refused("activity_selector", late, s=np.full((3, 6), 2.0), f=np.ones((3, 6)))


@pytest.mark.parametrize("name", NAMES)
def test_only_what_is_optimised_has_a_gap(name):
    algorithm = algorithms.get(name)
    assert algorithm.has_value == (name in VALUED)
    inputs = algorithm.sample(6, 1)
    outputs = algorithm.execute(inputs).outputs
    if algorithm.has_value:
        assert algorithm.optimality_gap(inputs, outputs).tolist() == [0]
    else:
        with pytest.raises(ValueError, match=f"^{name} has no value to optimise; optimality_gap is for: .*lcs_length"):
            algorithm.optimality_gap(inputs, outputs)
