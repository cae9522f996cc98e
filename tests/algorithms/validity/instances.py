"""Small instances with many ties: graphs with few weights, keys of few values, points on a grid.

All numbers are small integers, so that sums and products of them are exact.
"""

from collections.abc import Callable, Iterator

import numpy as np

from narlab import algorithms
from narlab.algorithms.sampling import positions
from narlab.algorithms.sampling.strings import two_strings
from narlab.specs import Location, Type

Arrays = dict[str, np.ndarray]

STEPS = 2.0**12  # in a unit
DENSITIES = (0.25, 0.5, 0.6, 0.75, 1.0)
ONE_WEIGHT, FEW_WEIGHTS = (1,), (1, 1, 2)


def graph(rng: np.random.Generator, n: int, *, directed: bool, weights: tuple[int, ...], acyclic: bool = False):
    """A graph with self-loops or, if it is acyclic, without, [n, n]."""
    A = (rng.random((n, n)) < rng.choice(DENSITIES)) * rng.choice(weights, (n, n))
    if acyclic:
        order = rng.permutation(n)
        return np.triu(A, 1)[order][:, order]
    return A if directed else np.triu(A) + np.triu(A, 1).T


def shifted(rng: np.random.Generator, A: np.ndarray) -> np.ndarray:
    """`A` with a potential's differences added: some arcs get negative and some cycles zero, but none negative.

    An arc whose weight comes out zero is none any more, since zero is the benchmark's word for no arc.
    """
    potential = rng.integers(0, 3, len(A))
    return np.where(A != 0, A - 1 + potential[:, None] - potential, 0)


def on_graph(rng: np.random.Generator, name: str, A: np.ndarray) -> Arrays:
    """The inputs of the algorithm on the graph `A`, from a random source where it has one."""
    n = len(A)
    inputs = {"pos": positions(n, 1)[0], "A": A, "adj": (A != 0) | np.eye(n, dtype=bool)}
    if any(probe.name == "s" for probe in algorithms.get(name).inputs):
        inputs["s"] = np.arange(n) == rng.integers(n)
    return inputs


def undirected(rng, n):
    return graph(rng, n, directed=False, weights=ONE_WEIGHT)


def undirected_weighted(rng, n):
    return graph(rng, n, directed=False, weights=FEW_WEIGHTS)


def directed(rng, n):
    return graph(rng, n, directed=True, weights=ONE_WEIGHT)


def either(rng, n):
    return graph(rng, n, directed=bool(rng.integers(2)), weights=ONE_WEIGHT)


def either_weighted(rng, n):
    return graph(rng, n, directed=bool(rng.integers(2)), weights=FEW_WEIGHTS)


def with_negative_arcs(rng, n):
    A = either_weighted(rng, n)
    return A if rng.integers(2) else shifted(rng, A)


def acyclic(rng, n):
    return graph(rng, n, directed=True, weights=ONE_WEIGHT, acyclic=True)


def acyclic_weighted(rng, n):
    return graph(rng, n, directed=True, weights=(-1, 1, 1, 2), acyclic=True)


GRAPHS = {
    "articulation_points": undirected,
    "bellman_ford": with_negative_arcs,
    "bfs": either,
    "bridges": undirected,
    "dag_shortest_paths": acyclic_weighted,
    "dfs": directed,
    "dijkstra": either_weighted,
    "floyd_warshall": with_negative_arcs,
    "mst_kruskal": undirected_weighted,
    "mst_prim": undirected_weighted,
    "strongly_connected_components": directed,
    "topological_sort": acyclic,
}


def keys(rng, n):
    return {"key": rng.integers(0, 3, n)}


def sorted_keys(rng, n):
    return {"key": np.sort(rng.integers(0, 4, n)), "target": rng.integers(-1, 9) / 2}


def signed_keys(rng, n):
    return {"key": rng.integers(-2, 3, n)}


def dimensions(rng, n):
    return {"p": rng.integers(1, 4, n)}


def probabilities(rng, n):
    return {"pos": positions(n + 1, 1)[0], "p": np.r_[rng.integers(0, 3, n), 0], "q": rng.integers(0, 3, n + 1)}


def activities(rng, n):
    s = rng.integers(0, 6, n)
    return {"s": s, "f": s + rng.integers(0, 4, n)}


def tasks(rng, n):
    return {"d": rng.integers(1, n + 1, n), "w": rng.integers(0, 4, n)}


def points(rng, n):
    return {"x": rng.integers(0, 4, n), "y": rng.integers(0, 4, n)}


def segments(rng, n):
    return {"pos": positions(4, 1)[0], "x": rng.integers(0, 3, 4), "y": rng.integers(0, 3, 4)}


def strings(rng, first, second):
    made = two_strings(rng.integers(0, 2, (1, first)), rng.integers(0, 2, (1, second)))
    return {name: array[0] for name, array in made.items()}


def pair(rng, n):
    return strings(rng, n - n // 2, n // 2)


def haystack_and_needle(rng, n):
    return strings(rng, n - max(n // 3, 1), max(n // 3, 1))


ARRAYS: dict[str, Callable[[np.random.Generator, int], Arrays]] = {
    "activity_selector": activities,
    "binary_search": sorted_keys,
    "bubble_sort": keys,
    "find_maximum_subarray_kadane": signed_keys,
    "graham_scan": points,
    "heapsort": keys,
    "insertion_sort": keys,
    "jarvis_march": points,
    "kmp_matcher": haystack_and_needle,
    "lcs_length": pair,
    "matrix_chain_order": dimensions,
    "minimum": keys,
    "naive_string_matcher": haystack_and_needle,
    "optimal_bst": probabilities,
    "quickselect": keys,
    "quicksort": keys,
    "segments_intersect": segments,
    "task_scheduling": tasks,
}

ORDERED = (  # whose nodes have an order that means something
    "binary_search",
    "find_maximum_subarray_kadane",
    "kmp_matcher",
    "lcs_length",
    "matrix_chain_order",
    "naive_string_matcher",
    "optimal_bst",
    "segments_intersect",
)


def instances(name: str, n: int, count: int, seed: int = 0) -> Iterator[Arrays]:
    """`count` random instances of size n, without a batch axis."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        drawn = on_graph(rng, name, GRAPHS[name](rng, n)) if name in GRAPHS else ARRAYS[name](rng, n)
        inputs = {"pos": positions(n, 1)[0], **drawn}
        yield {probe.name: np.asarray(inputs[probe.name], probe.dtype) for probe in algorithms.get(name).inputs}


def dyadic(name: str, n: int, count: int, seed: int = 0) -> Iterator[Arrays]:
    """`count` instances of the benchmark's sampler, its numbers rounded so that sums and products of them are exact."""
    drawn = algorithms.get(name).sample(n, count, seed=seed, stream="fast")
    exact = {key: np.ceil(array * STEPS) / STEPS if array.dtype == float else array for key, array in drawn.items()}
    for b in range(count):
        yield sample(exact, b)


def relabelled(name: str, arrays: Arrays, order: np.ndarray) -> Arrays:
    """Inputs or outputs [count, ...] with other names of the nodes: node i is what node order[i] was."""
    called = np.argsort(order)
    found = {}
    for probe in (*algorithms.get(name).inputs, *algorithms.get(name).outputs):
        if probe.name in arrays:
            array = arrays[probe.name][:, order]
            if probe.location is Location.EDGE:
                array = array[:, :, order]
            found[probe.name] = called[array.astype(int)] if probe.type is Type.POINTER else array
    return found


def batched(inputs: Arrays, count: int) -> Arrays:
    """The instance `count` times, [count, ...]."""
    return {name: np.broadcast_to(array, (count, *array.shape)) for name, array in inputs.items()}


def joined(batches: list[Arrays]) -> Arrays:
    """Batches one after the other."""
    return {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}


def sample(arrays: Arrays, b: int) -> Arrays:
    """Sample b of a batch, without a batch axis."""
    return {name: array[b] for name, array in arrays.items()}
