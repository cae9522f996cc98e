"""Each mistake gets one line that says what is wrong and what is valid."""

import numpy as np
import pytest

from narlab import algorithms
from narlab.specs import Type


def refused(name, message, **changes):
    """Execute `name` on valid inputs with `changes` and see that `message` comes back, in one line."""
    algorithm = algorithms.get(name)
    inputs = {**algorithm.sample(6, 3, seed=1), **changes}
    inputs = {key: array for key, array in inputs.items() if array is not None}
    with pytest.raises(ValueError, match=message) as error:
        algorithm.execute(inputs)
    assert "\n" not in str(error.value)


def with_value(array, index, value):
    changed = np.array(array, dtype=float)
    changed[index] = value
    return changed


BFS = algorithms.get("bfs").sample(6, 3, seed=1) if "bfs" in algorithms.CLRS_30 else {}


def test_missing_and_extra_probes():
    refused("bfs", "bfs misses the input 's'; its inputs: pos, s, A, adj", s=None)
    refused("bfs", r"bfs has no input 'adja'; did you mean 'adj'\? Its inputs: pos, s, A, adj", adja=BFS["adj"])
    with pytest.raises(ValueError, match="inputs of bfs must be a dict of arrays, got list"):
        algorithms.get("bfs").execute([1, 2])


def test_wrong_shapes():
    refused("bfs", r"input 'pos' must have shape \[count, N\], got \[6\]", pos=BFS["pos"][0])
    refused("bfs", r"input 's' must have shape \[3, 6\], got \[2, 6\]", s=BFS["s"][:2])
    refused("bfs", r"input 'A' must be square, \[count, N, N\], got \[3, 6, 5\]", A=BFS["A"][:, :, :5])
    refused("bfs", "input 'A' must be one array, got rows of different lengths", A=[[1, 2], [1]])


def test_wrong_dtypes_and_values():
    refused("bfs", "input 'A' must be an array of numbers, got dtype <U1", A=np.full((3, 6, 6), "a"))
    refused("bfs", "input 'A' must be an array of numbers, got dtype complex128", A=BFS["A"] * 1j)
    refused("bfs", "input 'A' must be an array of numbers, got dtype object", A=np.full((3, 6, 6), None))
    refused("bfs", "input 'A' must hold integers that fit int8, got 0.5", A=with_value(BFS["A"], (0, 0, 1), 0.5))
    refused("bfs", "input 'adj' must hold zeros and ones, got 2", adj=with_value(BFS["adj"], (0, 0, 1), 2))
    refused("bfs", "input 'pos' must be finite, got NaN or infinity", pos=with_value(BFS["pos"], (0, 0), np.nan))
    refused("quicksort", "input 'key' must be finite", key=np.full((3, 6), np.inf))


def test_a_source_that_is_not_one_hot():
    refused("bfs", "input 's' must be one-hot", s=np.zeros((3, 6)))
    refused("bfs", "input 's' must be one-hot", s=np.ones((3, 6)))


def test_an_adjacency_that_is_not_the_graph_s():
    refused("bfs", "input 'adj' must be 1 where A is not zero and on the diagonal", adj=np.ones((3, 6, 6)))


@pytest.mark.parametrize("name", ["topological_sort", "dag_shortest_paths"])
def test_cycles_for_a_dag_algorithm(name):
    ring = np.roll(np.eye(6), 1, axis=1)[None].repeat(3, axis=0)
    acyclic = algorithms.get(name).sample(6, 3, seed=1)["A"]
    A = np.concatenate([acyclic[:1], ring[:1], acyclic[:1]])
    refused(
        name,
        "input 'A' must be acyclic, but the graph of sample 1 has a cycle",
        A=A,
        adj=(A != 0) | np.eye(6, dtype=bool),
    )


def test_a_self_loop_is_a_cycle():
    A = np.zeros((3, 6, 6))
    A[0, 2, 2] = 1
    refused("topological_sort", "sample 0 has a cycle", A=A, adj=(A != 0) | np.eye(6, dtype=bool))


def test_unsorted_keys_for_a_binary_search():
    refused("binary_search", "input 'key' must be ascending", key=np.arange(6.0)[::-1][None].repeat(3, axis=0))


def test_strings_in_the_wrong_order():
    string = np.array([1, 1, 1, 0, 0, 0])[None].repeat(3, axis=0)
    refused("lcs_length", "input 'string' must be 0 on the first string's nodes, then 1", string=string)


def test_a_negative_cycle():
    A = np.zeros((3, 6, 6))
    A[:, 0, 1] = A[:, 1, 0] = -1
    s = np.eye(6)[:3] * 0
    s[:, 0] = 1
    refused("bellman_ford", "negative cycle", A=A, adj=(A != 0) | np.eye(6, dtype=bool), s=s)


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_sizes_counts_seeds_and_options(name):
    algorithm = algorithms.get(name)
    for n in (algorithm.smallest - 1, -1, 2.5, "8", True, 10**6):
        with pytest.raises(ValueError, match=r"^(n must be an integer|.* needs n from)"):
            algorithm.sample(n, 1)
    for count in (-1, 1.5, "3", None):
        with pytest.raises(ValueError, match="count must be an integer of at least 0, got"):
            algorithm.sample(8, count)
    for seed in (-1, 0.5, 2**32):
        with pytest.raises(ValueError, match="seed must be"):
            algorithm.sample(8, 1, seed=seed)
    with pytest.raises(ValueError, match=f"unknown option of {name} 'grafs'"):
        algorithm.sample(8, 1, grafs=None)
    with pytest.raises(ValueError, match=r"unknown stream 'fats'; did you mean 'fast'\?"):
        algorithm.sample(8, 1, stream="fats")
    assert len(algorithm.sample(algorithm.smallest, 3)["pos"]) == 3


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_degenerate_inputs_end(name):
    """All ties, no edges, all edges: textbook algorithms must end and stay in bounds on what they are given."""
    algorithm = algorithms.get(name)
    inputs = algorithm.sample(8, 4, seed=2)
    for value in (0.0, 1.0):
        scalars = [
            probe.name for probe in algorithm.inputs if probe.type is Type.SCALAR and probe.name not in ("pos", "A")
        ]
        same = {key: np.full_like(inputs[key], value) for key in scalars}
        if "A" in inputs and algorithm.check is None:
            A = np.full_like(inputs["A"], value)
            same |= {"A": A, "adj": (A != 0) | np.eye(8, dtype=bool)}
        done = algorithm.execute({**inputs, **same})
        assert (done.lengths >= 1).all()
    if {"x", "y"} <= set(inputs):
        line = np.broadcast_to(np.arange(inputs["x"].shape[1]) * 1.0, inputs["x"].shape)
        assert (algorithm.execute({**inputs, "x": line, "y": line}).lengths >= 1).all()
