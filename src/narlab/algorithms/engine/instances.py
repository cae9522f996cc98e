"""Inputs as people have them, brought into the benchmark's form: arrays [count, ...] for every input probe.

One instance needs no batch axis, and what follows from the rest need not be given: `pos`, and `adj` where there is `A`.
A node is marked by its index or in one-hot form, and so is a category. A graph may be `edges`, pairs or triples with a
weight, or a networkx graph, whose `graph.graph` has the other inputs, such as `s`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from narlab.algorithms.sampling import positions
from narlab.algorithms.sampling.graphs import loops
from narlab.common.errors import UsageError, brief
from narlab.specs import Location, Probe, Type

if TYPE_CHECKING:
    from narlab.algorithms.engine.algorithm import Algorithm

EDGES, NODES = "edges", "n"
MOST_NODES = 2**15 - 1


def complete(algorithm: Algorithm, given: Any) -> Any:
    """`given` with a batch axis and with all that follows from the rest; what can't be understood stays as it is.

    >>> from narlab import algorithms
    >>> inputs = complete(algorithms.get("bfs"), {"edges": [[0, 1], [1, 2]], "s": 0})
    >>> inputs["A"].tolist(), inputs["s"].tolist()
    ([[[0, 1, 0], [1, 0, 1], [0, 1, 0]]], [[1, 0, 0]])
    """
    if _is_graph(given):
        given = _of_graph(algorithm, given)
    if isinstance(given, Sequence) and given and all(isinstance(one, Mapping) or _is_graph(one) for one in given):
        return _stacked([complete(algorithm, one) for one in given])
    if not isinstance(given, Mapping):
        return given
    known = {probe.name: probe for probe in algorithm.inputs}
    inputs = _with_matrix(algorithm, dict(given)) if EDGES in given and EDGES not in known else dict(given)
    arrays = {name: _as_array(value) if name in known else value for name, value in inputs.items()}
    one_hot = _without_shorthands({known[name]: array for name, array in arrays.items() if name in known})
    return _with_what_follows(algorithm, {**arrays, **one_hot})


def _as_array(value: Any) -> Any:
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        return value
    return array if array.dtype.kind in "biuf" else value


def _without_shorthands(given: Mapping[Probe, Any]) -> dict[str, Any]:
    """With a batch axis, and one-hot where nodes or categories are given by their indices."""
    arrays = {probe: value for probe, value in given.items() if isinstance(value, np.ndarray)}
    nodes, is_one = _size(arrays)
    found: dict[str, Any] = {probe.name: value for probe, value in given.items()}
    for probe, array in arrays.items():
        axes = len(probe.shape(1)) + (not is_one)
        if _is_marked(probe) and array.ndim == axes - 1 and array.dtype.kind in "iu":
            array = _one_hot(probe, array, probe.categories or nodes)
        found[probe.name] = array[None] if is_one and array.ndim == axes else array
    return found


def _size(arrays: Mapping[Probe, np.ndarray]) -> tuple[int, bool]:
    """The number of nodes, and whether all arrays are those of one instance without a batch axis."""
    plain = {probe: array for probe, array in arrays.items() if not _is_marked(probe)}
    is_one = all(array.ndim == len(probe.shape(1)) for probe, array in (plain or arrays).items())
    located = [array for probe, array in (plain or arrays).items() if probe.location is not Location.GRAPH]
    axis = 0 if is_one else 1
    sizes = [array.shape[axis] for array in located if array.ndim > axis]
    return max(sizes, default=0), is_one and bool(arrays)


def _is_marked(probe: Probe) -> bool:
    return probe.type in (Type.MASK_ONE, Type.CATEGORICAL)


def _one_hot(probe: Probe, indices: np.ndarray, width: int) -> np.ndarray:
    if ((indices < 0) | (indices >= width)).any():
        wrong = indices[(indices < 0) | (indices >= width)].flat[0]
        raise UsageError(f"input {probe.name!r} must be from 0 to {width - 1}, got {wrong}")
    return (indices[..., None] == np.arange(width)).astype(np.int8)


def _with_what_follows(algorithm: Algorithm, inputs: dict[str, Any]) -> dict[str, Any]:
    """With `pos` and `adj`, where they were left out and the rest says what they are."""
    arrays = {name: value for name, value in inputs.items() if isinstance(value, np.ndarray)}
    located = [probe.name for probe in algorithm.inputs if probe.location is not Location.GRAPH]
    first = next((arrays[name] for name in located if name in arrays and arrays[name].ndim > 1), None)
    if "pos" not in inputs and first is not None:
        plain, string = positions(first.shape[1], len(first)), arrays.get("string")
        inputs["pos"] = plain if string is None or string.shape != plain.shape else _of_strings(string)
    A = arrays.get("A")
    if algorithm.has_graph and "adj" not in inputs and A is not None and A.ndim == 3 and A.shape[1] == A.shape[2]:
        inputs["adj"] = loops(A).astype(np.int8)
    return inputs


def _of_strings(string: np.ndarray) -> np.ndarray:
    """Each of the two strings has its own ramp of positions."""
    second = np.cumsum(string != 0, axis=1) - 1
    first = np.cumsum(string == 0, axis=1) - 1
    ahead, behind = (string == 0).sum(1, keepdims=True), (string != 0).sum(1, keepdims=True)
    return np.where(string == 0, first * 1.0 / np.maximum(ahead, 1), second * 1.0 / np.maximum(behind, 1))


def _stacked(instances: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = list(dict.fromkeys(name for instance in instances for name in instance))
    try:
        return {name: np.concatenate([instance[name] for instance in instances]) for name in names}
    except KeyError as missing:
        raise UsageError(f"all instances must have the same inputs, but one has no {missing}") from None
    except ValueError:
        raise UsageError("all instances must have the same number of nodes; use a file for each size") from None


def _with_matrix(algorithm: Algorithm, inputs: dict[str, Any]) -> dict[str, Any]:
    """With `A` instead of `edges`, both ways where the algorithm's graphs are undirected."""
    if not algorithm.has_graph:
        raise UsageError(f"{algorithm.name} has no graph: it takes no 'edges'; its inputs: {_names(algorithm)}")
    if "A" in inputs:
        raise UsageError("a graph is given as 'edges' or as 'A', not as both; leave one out")
    edges, nodes = inputs.pop(EDGES), inputs.pop(NODES, None)
    arcs = [_arc(edge) for edge in edges] if isinstance(edges, Sequence | np.ndarray) else []
    if not arcs:
        raise UsageError(
            f"'edges' must be a list of pairs [0, 1] or triples with a weight [0, 1, 0.5], got {brief(edges)}"
        )
    least = 1 + max(max(u, v) for u, v, _ in arcs)
    nodes = least if nodes is None else nodes
    if least > MOST_NODES:
        raise UsageError(f"the nodes of 'edges' must be from 0 to {MOST_NODES - 1}, got {brief(least - 1)}")
    if isinstance(nodes, bool) or not isinstance(nodes, int) or not least <= nodes <= MOST_NODES:
        raise UsageError(f"'n', the number of nodes, must be from {least} to {MOST_NODES}, got {brief(nodes)}")
    directed = getattr(algorithm.sampler, "directed", False)
    return {**inputs, "A": _matrix(algorithm, arcs, nodes, both_ways=not directed)}


def _arc(edge: Any) -> tuple[int, int, float]:
    try:
        u, v, *weight = edge
        found = (int(u), int(v), float(*weight) if weight else 1.0)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"an edge is a pair [0, 1] or a triple with a weight [0, 1, 0.5], got {brief(edge)}") from None
    if found[0] != u or found[1] != v or min(found[:2]) < 0:
        raise UsageError(f"the nodes of an edge are integers from 0, got {brief(edge)}")
    if not isfinite(found[2]):
        raise UsageError(f"the weight of an edge must be finite, got {brief(edge)}")
    return found


def _matrix(algorithm: Algorithm, arcs: Sequence[tuple[int, int, float]], nodes: int, *, both_ways: bool) -> np.ndarray:
    """Weights [N, N]; ones for an algorithm without weights, whose `A` holds whole numbers."""
    (probe,) = (probe for probe in algorithm.inputs if probe.name == "A")
    A = np.zeros((nodes, nodes), probe.dtype)
    for u, v, weight in arcs:
        value = weight if probe.dtype == "float64" else 1
        for a, b in {(u, v), (v, u)} if both_ways else {(u, v)}:
            if A[a, b] not in (0, value):
                raise UsageError(f"the edge from {a} to {b} is given twice, with weights {A[a, b]} and {value}")
            A[a, b] = value
    return A


def _is_graph(thing: Any) -> bool:
    """Whether it is a networkx graph, which need not be imported to see it."""
    return callable(getattr(thing, "is_directed", None)) and hasattr(thing, "edges") and hasattr(thing, "graph")


def _of_graph(algorithm: Algorithm, graph: Any) -> dict[str, Any]:
    """The inputs that a networkx graph stands for; nodes are counted in its own order."""
    if not algorithm.has_graph:
        raise UsageError(f"{algorithm.name} takes no graph; its inputs: {_names(algorithm)}")
    if graph.is_multigraph():
        raise UsageError("a graph with parallel edges can't be an input; make it a networkx.Graph or DiGraph")
    place = {node: k for k, node in enumerate(graph.nodes)}
    arcs = [_arc((place[u], place[v], weight)) for u, v, weight in graph.edges(data="weight", default=1.0)]
    others = {probe.name: graph.graph[probe.name] for probe in algorithm.inputs if probe.name in graph.graph}
    if "s" in others and np.ndim(others["s"]) == 0:
        if others["s"] not in place:
            raise UsageError(f"the source {others['s']!r} is no node of the graph")
        others["s"] = place[others["s"]]
    return {**others, "A": _matrix(algorithm, arcs, len(place), both_ways=not graph.is_directed())}


def _names(algorithm: Algorithm) -> str:
    return ", ".join(probe.name for probe in algorithm.inputs)


def example(algorithm: Algorithm, inputs: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """One instance as short as it can be given: what follows from the rest is left out, marks are indices.

    >>> from narlab import algorithms
    >>> minimum = algorithms.get("minimum")
    >>> example(minimum, {"pos": np.array([0, 0.5]), "key": np.array([0.25, 0.75])})
    {'key': [0.25, 0.75]}
    """
    shown = {}
    for probe in algorithm.inputs:
        if probe.name in ("pos", "adj"):
            continue
        array = np.asarray(inputs[probe.name]).astype(probe.dtype)
        shown[probe.name] = (array.argmax(-1) if _is_marked(probe) else array).tolist()
    return shown


def example_text(shown: Mapping[str, Any]) -> str:
    """An example as JSON, a line for each row of numbers.

    >>> print(example_text({"s": 0, "A": [[0, 1], [1, 0]]}), end="")
    {
     "s": 0,
     "A": [
      [0, 1],
      [1, 0]
     ]
    }
    """
    return "{\n" + ",\n".join(f' "{name}": {_rows(value)}' for name, value in shown.items()) + "\n}\n"


def _rows(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "[\n  " + ",\n  ".join(map(json.dumps, value)) + "\n ]"
    return json.dumps(value)
