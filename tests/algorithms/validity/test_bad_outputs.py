"""Each mistake in what is to be judged gets one line that says what is wrong, where, and what is right."""

import numpy as np
import pytest

from narlab import algorithms
from narlab.algorithms.engine import Algorithm
from narlab.specs import Type

METHODS = ("valid", "valid_elements", "defects")


def right(name):
    """Three instances and the benchmark's answers."""
    algorithm = algorithms.get(name)
    inputs = algorithm.sample(6, 3, seed=1)
    return inputs, algorithm.execute(inputs, hints=False).outputs


def refused(name, message, *, inputs=None, outputs=None, methods=METHODS):
    """See that what is changed in right inputs and outputs is refused with `message`, in one line, by all methods."""
    given, answered = right(name)
    given, answered = given | (inputs or {}), answered | (outputs or {})
    present = {key: array for key, array in answered.items() if array is not None}
    for method in methods:
        with pytest.raises(ValueError, match=message) as error:
            getattr(algorithms.get(name), method)(given, present)
        assert "\n" not in str(error.value)


def changed(name, output, place, value):
    array = np.array(right(name)[1][output], float)
    array[place] = value
    return {output: array}


def test_missing_and_extra_names():
    pi = right("bfs")[1]["pi"]
    refused("bfs", "bfs misses the output 'pi'; its outputs: pi$", outputs={"pi": None})
    refused("bfs", r"bfs has no output 'Pi'; did you mean 'pi'\? Its outputs: pi$", outputs={"Pi": pi})
    refused(
        "topological_sort", "misses the output 'topo_head'; its outputs: topo, topo_head$", outputs={"topo_head": None}
    )
    refused("bfs", "input 's' must be one-hot", inputs={"s": np.ones((3, 6))})
    with pytest.raises(ValueError, match="outputs of bfs must be a dict of arrays, got ndarray"):
        algorithms.get("bfs").valid(right("bfs")[0], pi)


def test_shapes():
    refused("bfs", r"output 'pi' must have shape \[3, 6\], got \[2, 6\]", outputs={"pi": np.zeros((2, 6))})
    refused("bfs", r"output 'pi' must have shape \[3, 6\], got \[3, 6, 6\]", outputs={"pi": np.zeros((3, 6, 6))})
    refused(
        "floyd_warshall", r"output 'Pi' must have shape \[3, 6, 6\], got \[3, 6\]", outputs={"Pi": np.zeros((3, 6))}
    )
    refused("lcs_length", r"'b' must have shape \[3, 6, 6, 4\], got \[3, 6, 6\]", outputs={"b": np.zeros((3, 6, 6))})
    refused(
        "segments_intersect", r"'intersect' must have shape \[3\], got \[3, 1\]", outputs={"intersect": np.ones((3, 1))}
    )
    refused("minimum", "output 'min' must be one array, got rows of different lengths", outputs={"min": [[1], [0, 1]]})


def test_dtypes():
    refused("bfs", "output 'pi' must be an array of numbers, got dtype <U1", outputs={"pi": np.full((3, 6), "a")})
    refused("bfs", "output 'pi' must be an array of numbers, got dtype complex", outputs={"pi": np.ones((3, 6)) * 1j})
    refused("bfs", "output 'pi' must be an array of numbers, got dtype object", outputs={"pi": np.full((3, 6), None)})


@pytest.mark.parametrize("value", [-1, 6, 70_000, 2.5, np.nan, np.inf, -np.inf])
def test_pointers_that_are_no_nodes(value):
    must = f"must point to a node from 0 to 5, got {value}"
    refused("bfs", f"output 'pi' of instance 1 at node 4 {must}", outputs=changed("bfs", "pi", (1, 4), value))
    refused("quicksort", f"'pred' of instance 0 at node 0 {must}", outputs=changed("quicksort", "pred", (0, 0), value))
    table = changed("floyd_warshall", "Pi", (2, 3, 5), value)
    refused("floyd_warshall", f"'Pi' of instance 2 at pair 3, 5 {must}", outputs=table)


@pytest.mark.parametrize("value", [-1, 2, 0.5, np.nan, np.inf])
def test_marks_that_are_neither_zero_nor_one(value):
    must = f"must be 0 or 1, got {value}"
    hull, tree = changed("graham_scan", "in_hull", (1, 4), value), changed("mst_kruskal", "in_mst", (2, 0, 1), value)
    refused("graham_scan", f"output 'in_hull' of instance 1 at node 4 {must}", outputs=hull)
    refused("mst_kruskal", f"output 'in_mst' of instance 2 at pair 0, 1 {must}", outputs=tree)
    intersect = changed("segments_intersect", "intersect", 2, value)
    refused("segments_intersect", f"output 'intersect' of instance 2 {must}", outputs=intersect)


@pytest.mark.parametrize(
    ("name", "output"), [("minimum", "min"), ("topological_sort", "topo_head"), ("binary_search", "return")]
)
def test_marks_of_one_node_that_are_not_one(name, output):
    must = f"output {output!r} of instance 2 must be one-hot, with exactly one 1, got"
    refused(name, f"{must} 0.* ones", outputs=changed(name, output, 2, 0))
    refused(name, f"{must} 6.* ones", outputs=changed(name, output, 2, 1))


def test_categories_that_are_not_one():
    must = "output 'b' of instance 1 at pair 0, 3 must be one-hot, with exactly one 1, got 2.* ones"
    refused("lcs_length", must, outputs=changed("lcs_length", "b", (1, 0, 3), [1, 1, 0, 0]))
    must = "output 'b' of instance 1 at pair 0, 3, 2 must be 0 or 1, got nan"
    refused("lcs_length", must, outputs=changed("lcs_length", "b", (1, 0, 3), [0, 1, np.nan, 0]))


def test_the_benchmark_s_mask_is_allowed_only_where_it_has_it():
    (inputs, outputs), place = right("bridges"), (0, 0, 0)
    refused(
        "bridges",
        "'is_bridge' of instance 0 at pair 0, 0 must be 0 or 1, got -1",
        outputs=changed("bridges", "is_bridge", place, -1),
    )
    for mark in (-1, 0, 1):
        unmasked = np.where(outputs["is_bridge"] == -1, mark, outputs["is_bridge"])
        assert algorithms.get("bridges").valid(inputs, {"is_bridge": unmasked}).all()
    blank = [0, 0, 0, -1]
    refused(
        "lcs_length",
        "'b' of instance 0 at pair 0, 3, 3 must be 0 or 1, got -1",
        outputs=changed("lcs_length", "b", (0, 0, 3), blank),
    )
    inputs, outputs = right("lcs_length")
    for category in np.eye(4):
        anything = np.where((outputs["b"] == -1).any(-1, keepdims=True), category, outputs["b"])
        assert algorithms.get("lcs_length").valid(inputs, {"b": anything}).all()


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_every_output_is_checked(name):
    for probe in algorithms.get(name).outputs:
        refused(name, f"output {probe.name!r} of instance 1 .*nan", outputs=changed(name, probe.name, 1, np.nan))
        kind = "must point to a node" if probe.type is Type.POINTER else "must be 0 or 1"
        refused(name, f"output {probe.name!r} of instance 2 .*{kind}", outputs=changed(name, probe.name, 2, 99))


@pytest.mark.parametrize("name", algorithms.CLRS_30)
@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "float64"])
def test_any_dtype_of_the_same_values_is_judged_alike(name, dtype):
    inputs, outputs = right(name)
    assert algorithms.get(name).valid(inputs, {key: array.astype(dtype) for key, array in outputs.items()}).all()


def test_problems_without_a_value_have_no_gap():
    valued = [name for name in algorithms.CLRS_30 if algorithms.get(name).has_value]
    for name in set(algorithms.CLRS_30) - set(valued):
        message = f"^{name} has no value to optimise; optimality_gap is for: {', '.join(valued)}$"
        refused(name, message, methods=["optimality_gap"])


def test_an_algorithm_that_says_nothing_of_validity():
    bfs = algorithms.get("bfs")
    silent = Algorithm("mine", "graphs", bfs.probes, bfs.records, bfs.sampler, bfs.run, lengths_at_16=(1, 7))
    assert not silent.has_value
    for method in (*METHODS, "optimality_gap"):
        with pytest.raises(ValueError, match=r"^mine does not say which answers are valid; declare it with"):
            getattr(silent, method)(*right("bfs"))


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_an_empty_batch_is_judged(name):
    inputs, outputs = ({key: array[:0] for key, array in arrays.items()} for arrays in right(name))
    assert algorithms.get(name).valid(inputs, outputs).shape == (0,)
    assert algorithms.get(name).defects(inputs, outputs) == []
