"""Which answers of the graph algorithms are valid: the benchmark's own, other tie-breaking's, and no wrong ones.

That `valid` says what an independent definition says is shown elsewhere; here it is that everything that is said about
an answer fits together, and what is refused.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from narlab import algorithms
from narlab.data import graphs
from narlab.specs import Type

NAMES = (
    "articulation_points",
    "bellman_ford",
    "bfs",
    "bridges",
    "dag_shortest_paths",
    "dfs",
    "dijkstra",
    "floyd_warshall",
    "mst_kruskal",
    "mst_prim",
    "strongly_connected_components",
    "topological_sort",
)
FAMILIES = ("er:p=0.5", "er:p=0.15", "tree", "ba:m=2", "ring")


def samples(name, n, count, family=None):
    """Inputs and the benchmark's outputs."""
    algorithm = algorithms.get(name)
    options = {"graphs": graphs.parse(family)} if family else {}
    inputs = algorithm.sample(n, count, seed=n, stream="fast", **options)
    return algorithm, inputs, algorithm.execute(inputs, hints=False).outputs


def mutated(algorithm, outputs, generator, changes):
    """Each answer with up to `changes` elements of each output changed at random."""
    changed = {}
    for probe in algorithm.outputs:
        array = outputs[probe.name].copy()
        for answer in array:
            for _ in range(generator.integers(changes + 1)):
                place = tuple(generator.integers(answer.shape))
                if probe.type is Type.POINTER:
                    answer[place] = generator.integers(len(answer))
                elif probe.type is Type.MASK_ONE:
                    answer[:] = np.arange(len(answer)) == place[0]
                elif answer[place] >= 0:
                    answer[place] = 1 - answer[place]
                    if generator.random() < 0.8:
                        answer[place[::-1]] = answer[place]
        changed[probe.name] = array
    return changed


@pytest.mark.parametrize("name", NAMES)
def test_the_benchmark_s_own_answers_are_valid(name):
    for n, count in ((4, 100), (9, 100), (16, 200), (33, 50), (64, 20), (70, 10)):
        algorithm, inputs, outputs = samples(name, n, count)
        assert algorithm.valid(inputs, outputs).all(), n
    for family in FAMILIES:
        algorithm, inputs, outputs = samples(name, 16, 50, family)
        assert algorithm.valid(inputs, outputs).all(), family


@pytest.mark.parametrize("name", NAMES)
def test_the_official_stream_in_the_benchmark_s_dtypes_is_valid(name):
    algorithm = algorithms.get(name)
    inputs = algorithm.sample(16, 20, seed=5)
    outputs = {
        probe.name: algorithm.execute(inputs).outputs[probe.name].astype(probe.benchmark_dtype)
        for probe in algorithm.outputs
    }
    assert algorithm.valid(inputs, outputs).all()


@pytest.mark.parametrize("name", NAMES)
def test_verdicts_and_defects_fit_together(name):
    generator = np.random.default_rng(7)
    verdicts = []
    for (n, family), changes in product([(5, None), (8, "tree"), (9, "er:p=0.5"), (16, "er:p=0.15")], (1, 2, 16)):
        algorithm, inputs, outputs = samples(name, n, 25, family)
        answers = mutated(algorithm, outputs, generator, changes)
        valid, elements, gap = algorithm.verdicts(inputs, answers)
        assert [not defects for defects in algorithm.defects(inputs, answers)] == valid.tolist()
        for element in elements:
            assert element[valid].all()
        if algorithm.has_value:
            np.testing.assert_array_equal(gap == 0, valid)
            assert (gap >= 0).all()
        verdicts += valid.tolist()
    assert 0.1 < np.mean(verdicts) < 0.9  # both kinds have been seen


@pytest.mark.parametrize("name", NAMES)
def test_verdicts_do_not_depend_on_threads_or_on_neighbours_in_the_batch(name):
    algorithm, inputs, outputs = samples(name, 16, 200)
    answers = mutated(algorithm, outputs, np.random.default_rng(3), 2)
    together = algorithm.verdicts(inputs, answers, threads=1)
    threaded = algorithm.verdicts(inputs, answers, threads=3)
    for one, three in zip((*together.elements, together.valid), (*threaded.elements, threaded.valid), strict=True):
        np.testing.assert_array_equal(one, three)
    alone = {key: array[150:151] for key, array in inputs.items()}, {k: a[150:151] for k, a in answers.items()}
    assert algorithm.valid(*alone)[0] == together.valid[150]


@pytest.mark.parametrize("name", NAMES)
def test_relabelled_answers_are_as_valid(name):
    algorithm, inputs, outputs = samples(name, 9, 40)
    answers = mutated(algorithm, outputs, np.random.default_rng(4), 1)
    order = np.random.default_rng(5).permutation(9)  # node k is called order[k] before
    place = np.argsort(order)

    def relabelled(array, pointer=False):
        axes = array[:, order] if array.ndim == 2 else array[:, order][:, :, order]
        return place[axes] if pointer else axes

    after = {key: array if key == "pos" else relabelled(array) for key, array in inputs.items()}
    pointers = {probe.name: probe.type is Type.POINTER for probe in algorithm.outputs}
    moved = {key: relabelled(array, pointers[key]) for key, array in answers.items()}
    np.testing.assert_array_equal(algorithm.valid(inputs, answers), algorithm.valid(after, moved))


@pytest.mark.parametrize("name", NAMES)
def test_texts_are_one_line_each(name):
    validity = algorithms.get(name).validity
    for text in (validity.rule, validity.theorem, validity.ties, validity.elements, validity.value or "none"):
        assert text
        assert "\n" not in text


def refused(name, message, **changes):
    """See that the answer to valid inputs with `changes` is refused with `message`, in one line, by all methods."""
    algorithm, inputs, outputs = samples(name, 6, 3)
    answers = {key: array for key, array in {**outputs, **changes}.items() if array is not None}
    for method in (algorithm.valid, algorithm.valid_elements, algorithm.defects):
        with pytest.raises(ValueError, match=message) as error:
            method(inputs, answers)
        assert "\n" not in str(error.value)


def pointers_with(value):
    array = np.zeros((3, 6))
    array[1, 4] = value
    return array


def test_outputs_must_be_there_and_in_shape():
    refused("bfs", "bfs misses the output 'pi'; its outputs: pi", pi=None)
    refused("bfs", r"bfs has no output 'p'; did you mean 'pi'\? Its outputs: pi", p=np.zeros((3, 6)))
    refused("bfs", r"output 'pi' must have shape \[3, 6\], got \[3, 5\]", pi=np.zeros((3, 5)))
    refused("bfs", "output 'pi' must be an array of numbers, got dtype <U1", pi=np.full((3, 6), "a"))
    refused("bfs", "output 'pi' must be one array, got rows of different lengths", pi=[[1, 2], [1]])
    algorithm, inputs, _ = samples("bfs", 6, 3)
    with pytest.raises(ValueError, match="outputs of bfs must be a dict of arrays, got ndarray"):
        algorithm.valid(inputs, np.zeros((3, 6)))


@pytest.mark.parametrize("value", [6, -1, 2.5, np.nan, np.inf, 1e30])
def test_pointers_must_be_nodes(value):
    line = f"output 'pi' of instance 1 at node 4 must point to a node from 0 to 5, got {value:g}"
    refused("bfs", line.replace("+", r"\+").replace("1e", "1e"), pi=pointers_with(value))


def test_pairs_are_named():
    pairs = np.zeros((3, 6, 6))
    pairs[2, 3, 5] = 9
    refused(
        "floyd_warshall", "output 'Pi' of instance 2 at pair 3, 5 must point to a node from 0 to 5, got 9", Pi=pairs
    )


def test_marks_must_be_zero_or_one():
    refused(
        "articulation_points",
        "output 'is_cut' of instance 1 at node 4 must be 0 or 1, got 0.5",
        is_cut=pointers_with(0.5),
    )
    refused(
        "articulation_points",
        "output 'is_cut' of instance 1 at node 4 must be 0 or 1, got -1",
        is_cut=pointers_with(-1),
    )
    refused("articulation_points", "must be 0 or 1, got nan", is_cut=pointers_with(np.nan))
    refused(
        "topological_sort",
        "output 'topo_head' of instance 0 must be one-hot, with exactly one 1, got 0.0 ones",
        topo_head=pointers_with(1),
    )


def test_the_mask_is_allowed_where_the_benchmark_has_it():
    marks = np.full((3, 6, 6), -1)
    refused("bridges", "output 'is_bridge' of instance 0 at pair 0, 0 must be 0 or 1, got -1", is_bridge=marks)


def test_problems_without_a_value_have_no_gap():
    algorithm, inputs, outputs = samples("dfs", 6, 3)
    assert not algorithm.has_value
    with pytest.raises(
        ValueError, match=r"^dfs has no value to optimise; optimality_gap is for: .*bellman_ford, bfs, "
    ) as error:
        algorithm.optimality_gap(inputs, outputs)
    assert "\n" not in str(error.value)


def test_an_algorithm_may_leave_open_what_is_valid():
    algorithm, inputs, outputs = samples("bfs", 6, 3)
    unjudged = replace(algorithm, validity=None)
    assert not unjudged.has_value
    for method in (unjudged.valid, unjudged.valid_elements, unjudged.optimality_gap, unjudged.defects):
        with pytest.raises(ValueError, match=r"^bfs does not say which answers are valid; declare it with"):
            method(inputs, outputs)


def test_no_instances_are_no_verdicts():
    algorithm, inputs, outputs = samples("bfs", 6, 3)
    none = {key: array[:0] for key, array in inputs.items()}, {key: array[:0] for key, array in outputs.items()}
    assert algorithm.valid(*none).shape == (0,)
    assert algorithm.defects(*none) == []
