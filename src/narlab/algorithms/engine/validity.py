"""What makes an answer valid: any correct answer of the problem is, not only that of the benchmark's tie-breaking."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from narlab.common.compiling import jitted
from narlab.common.errors import UsageError
from narlab.common.machine import in_parts
from narlab.specs import Location, Probe, Type

if TYPE_CHECKING:
    from narlab.algorithms.engine.algorithm import Algorithm

Arrays = dict[str, np.ndarray]

TOLERANCE = 1e-9
"""Two lengths, costs or values a and b count as equal if |a - b| <= TOLERANCE * max(1, |a|, |b|)."""


@jitted
def ties(a, b):
    """Whether two lengths, costs or values count as equal; infinity equals only itself."""
    difference = abs(a - b)
    return a == b or (difference <= TOLERANCE * max(1.0, abs(a), abs(b)) and difference < np.inf)


tied = ties.py_func  # for plain Python, which need not wait for a compilation


@jitted
def relative_gap(excess, best):
    """How much worse than `best` an answer is that is `excess` away from it; infinite if the best is nothing."""
    if excess == 0.0:
        return 0.0
    return abs(excess / best)  # division by zero is infinite here


class Verdicts(NamedTuple):
    """What a judge says about the answers of a batch.

    `elements` is the algorithm's record of outputs with a boolean for each element; `gap` is not a number where the
    problem has no value.
    """

    valid: np.ndarray
    elements: Any
    gap: np.ndarray


@dataclass(frozen=True)
class Defect:
    """One thing that is wrong with an answer: a line for people, and what to mark in a picture."""

    text: str
    nodes: tuple[int, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Validity:
    """When an answer of an algorithm is valid, for the compiler and for people.

    `judge(inputs, outputs, verdicts)` is compiled and fills the verdicts of a batch; it is given arrays of the right
    shapes, dtypes and ranges, and trusts nothing else. `defects(inputs, outputs)` is plain Python on the arrays of one
    instance, by name, and returns nothing exactly if the answer is valid. The texts are one line each: when an answer
    is valid, the theorem or definition that is checked, what is a tie and what an error, what an element's own verdict
    means, and what `optimality_gap` measures, or None if the problem has no value.

    `check(inputs)` refuses inputs on which the problem is not defined though the algorithm runs. `masked(inputs)` says
    by output name where the benchmark itself answers -1, which is allowed there and judged nowhere.
    """

    judge: Callable[[Any, Any, Verdicts], None]
    defects: Callable[[Arrays, Arrays], list[Defect]]
    rule: str
    theorem: str
    ties: str
    elements: str
    value: str | None
    check: Callable[[Arrays], None] | None = None
    masked: Callable[[Arrays], Arrays] | None = None


def validity_of(algorithm: Algorithm) -> Validity:
    """The algorithm's validity, or a `ValueError` if it declares none."""
    if algorithm.validity is None:
        raise UsageError(
            f"{algorithm.name} does not say which answers are valid; declare it with Algorithm(validity=Validity(...))"
        )
    return algorithm.validity


def checked(
    algorithm: Algorithm, inputs: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray]
) -> tuple[Arrays, Arrays]:
    """Inputs and outputs in the probes' dtypes, or a `ValueError` if they can't be judged."""
    from narlab.algorithms.engine.checking import check_inputs, check_outputs  # foreign arrays alone need it

    validity = validity_of(algorithm)
    arrays = check_inputs(algorithm, inputs)
    return arrays, check_outputs(algorithm, outputs, arrays, validity.masked)


def judge(algorithm: Algorithm, inputs: Arrays, outputs: Arrays, *, threads: int | None = None) -> Verdicts:
    """The verdicts on arrays that have been checked."""
    count, nodes = inputs["pos"].shape
    elements = {probe.name: np.zeros((count, *element_shape(probe, nodes)), bool) for probe in algorithm.outputs}
    valid, gap = np.zeros(count, bool), np.full(count, np.nan)
    inputs_type, outputs_type, _ = algorithm.records
    compiled_judge = validity_of(algorithm).judge

    def judge_part(part: slice) -> None:
        compiled_judge(
            inputs_type(*(inputs[probe.name][part] for probe in algorithm.inputs)),
            outputs_type(*(outputs[probe.name][part] for probe in algorithm.outputs)),
            Verdicts(valid[part], outputs_type(*(array[part] for array in elements.values())), gap[part]),
        )

    in_parts(judge_part, count, threads)
    return Verdicts(valid, outputs_type(*elements.values()), gap)


def element_shape(probe: Probe, nodes: int) -> tuple[int, ...]:
    """The shape of an output's elements on a graph of `nodes` nodes: a one-hot is one element."""
    if probe.type is Type.MASK_ONE:
        return ()
    return {Location.NODE: (nodes,), Location.EDGE: (nodes, nodes), Location.GRAPH: ()}[probe.location]


def find_defects(algorithm: Algorithm, inputs: Arrays, outputs: Arrays) -> list[list[Defect]]:
    """The defects of each instance of arrays that have been checked."""

    def instance(arrays: Arrays, b: int) -> Arrays:
        return {name: array[b] for name, array in arrays.items()}

    find = validity_of(algorithm).defects
    return [find(instance(inputs, b), instance(outputs, b)) for b in range(len(inputs["pos"]))]


def no_value(algorithm: Algorithm) -> UsageError:
    """The error for an algorithm whose problem has nothing to optimise."""
    from narlab import algorithms

    valued = ", ".join(name for name in algorithms.names() if algorithms.get(name).has_value)
    return UsageError(f"{algorithm.name} has no value to optimise; optimality_gap is for: {valued}")


# Words for defects that answers of several algorithms can have.


def chain(nodes: Sequence[int]) -> str:
    """`2 -> 5 -> 2`"""
    return " -> ".join(map(str, nodes))


def number(value: float) -> str:
    """A length or weight with as many digits as may decide about a tie."""
    return f"{value:.12g}"


def reached_from(A: np.ndarray, start: int, *, without: int | None = None) -> set[int]:
    """The nodes that paths from `start` lead to, those through the node `without` left out."""
    reached, queue = {start}, [start]
    for u in queue:
        fresh = [v for v in np.flatnonzero(A[u]).tolist() if v != without and v not in reached]
        reached.update(fresh)
        queue += fresh
    return reached


def cycles(pointers: np.ndarray) -> list[Defect]:
    """A defect for each cycle that nodes run into by their pointers; a node that points to itself is none."""
    found, seen_from = [], np.full(len(pointers), -1)
    for start in range(len(pointers)):
        walk, v = [], start
        while seen_from[v] == -1:
            seen_from[v] = start
            walk.append(v)
            v = int(pointers[v])
        if seen_from[v] == start and pointers[v] != v:
            cycle = [*walk[walk.index(v) :], v]
            found.append(Defect(f"cycle {chain(cycle)}", tuple(cycle[:-1]), arcs_to_children(cycle)))
    return found


def arcs_to_children(walk: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """The arcs of a walk along parents, each from the parent to the child."""
    return tuple((parent, child) for child, parent in pairwise(walk))


def out_of_place(v: int, p: int, source: int) -> Defect:
    """Node `v`, the source or out of its reach, points to `p` and not to itself."""
    who = f"source {v}" if v == source else f"node {v} is out of reach and"
    return Defect(f"{who} points to {p}, not to itself", (v,), ((p, v),))


def no_path(v: int) -> Defect:
    """Node `v` points to itself, though the source reaches it."""
    return Defect(f"node {v} points to itself, though there is a path to it", (v,))


def no_edge(v: int, p: int, edges: np.ndarray) -> Defect:
    """Node `v` points to `p`, from which no edge leads to it."""
    reason = f"but the edge leads from {v} to {p}" if edges[v, p] else "which is no neighbour"
    return Defect(f"node {v} points to {p}, {reason}", (v, p), ((p, v),))


def path_defects(parent: np.ndarray, source: int, distance: np.ndarray, lengths: np.ndarray) -> list[Defect]:
    """Why `parent` is no tree of shortest paths; `lengths` [N, N] are those of the arcs, infinite where there is none.

    `distance` [N] is the one from the source, infinite out of reach.
    """
    found = []
    for v, p in enumerate(map(int, parent)):
        if v == source or distance[v] == np.inf:
            found += [out_of_place(v, p, source)] if p != v else []
        elif p == v:
            found.append(no_path(v))
        elif lengths[p, v] == np.inf:
            found.append(no_edge(v, p, lengths < np.inf))
        elif distance[p] == np.inf:
            found.append(Defect(f"node {v} points to {p}, which is out of reach", (v, p), ((p, v),)))
        elif not tied(distance[p] + lengths[p, v], distance[v]):
            away = f"{number(distance[p] + lengths[p, v])} from the source, not {number(distance[v])}"
            found.append(Defect(f"node {v} points to {p}, by which it is {away}", (v, p), ((p, v),)))
    return found + cycles(parent)


def marked_once(u: int, v: int) -> Defect:
    """An undirected edge is marked from one side only."""
    return Defect(f"edge {u} - {v} is marked in one direction only", (u, v), ((u, v),))


def too_heavy(A: np.ndarray, tree: Sequence[tuple[int, int]], total: float, best: float) -> Defect:
    """A spanning tree is not of least weight: the exchange of two edges that saves most."""
    neighbours: dict[int, list[int]] = {}
    for u, v in tree:
        neighbours.setdefault(u, []).append(v)
        neighbours.setdefault(v, []).append(u)
    saving, exchange = -np.inf, ((0, 0), (0, 0))
    for u in neighbours:
        for v, heaviest in heaviest_edges(A, neighbours, u).items():
            if A[u, v] and A[heaviest] - A[u, v] > saving:
                saving, exchange = A[heaviest] - A[u, v], (heaviest, (u, v))
    (a, b), (c, d) = exchange
    instead = f"edge {c} - {d} of {number(A[c, d])} could replace {a} - {b} of {number(A[a, b])}"
    return Defect(f"weight {number(total)}, not {number(best)}: {instead}", (a, b, c, d), exchange)


def heaviest_edges(A: np.ndarray, neighbours: dict[int, list[int]], start: int) -> dict[int, tuple[int, int]]:
    """The heaviest edge on the path in a tree from `start` to each other node."""
    heaviest: dict[int, tuple[int, int]] = {}
    queue = [(start, v, (start, v)) for v in neighbours[start]]
    for u, v, edge in queue:
        heaviest[v] = edge
        queue += [(v, w, max(edge, (v, w), key=lambda pair: A[pair])) for w in neighbours[v] if w != u]
    return heaviest
