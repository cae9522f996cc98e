"""Other people's solvers on arrays, strings and points: NumPy, SciPy, networkx, the standard library, plain recursion.

A solver takes one instance and a random generator, which breaks its ties where the solver lets it.
"""

import re
from bisect import bisect_left
from functools import cache
from heapq import heapify, heappop
from statistics import median_high

import networkx as nx
import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

from .graph_solvers import one_hot
from .sequence_definitions import two_strings


def chain(order):
    pred = np.empty(len(order), int)
    pred[order] = [order[0], *order[:-1]]
    return {"pred": pred}


def python_sort(inputs, rng):
    return chain(sorted(rng.permutation(len(inputs["key"])), key=inputs["key"].__getitem__))


def numpy_sort(inputs, rng):
    return chain(np.lexsort((rng.random(len(inputs["key"])), inputs["key"])))


def heapq_sort(inputs, rng):
    heap = list(zip(inputs["key"], rng.random(len(inputs["key"])), range(len(inputs["key"])), strict=True))
    heapify(heap)
    return chain([heappop(heap)[2] for _ in range(len(heap))])


def any_with(name, values, wanted, rng):
    return {name: one_hot(len(values), rng.choice(np.flatnonzero(values == wanted)))}


def numpy_minimum(inputs, rng):
    return any_with("min", inputs["key"], np.min(inputs["key"]), rng)


def numpy_median(inputs, rng):
    rank = len(inputs["key"]) // 2
    return any_with("median", inputs["key"], np.partition(inputs["key"], rank)[rank], rng)


def statistics_median(inputs, rng):
    return any_with("median", inputs["key"], median_high(inputs["key"]), rng)


def bisect_search(inputs, rng):
    n = len(inputs["key"])
    return {"return": one_hot(n, min(bisect_left(inputs["key"], inputs["target"]), n - 1))}


def numpy_subarray(inputs, rng):
    """A largest difference of two sums over the first keys."""
    sums = np.r_[0, np.cumsum(inputs["key"])]
    differences = np.where(np.arange(len(sums)) > np.arange(len(sums))[:, None], sums - sums[:, None], -np.inf)
    start, end = rng.choice(np.argwhere(np.isclose(differences, differences.max(), rtol=0, atol=1e-12)))
    return {"start": one_hot(len(sums) - 1, start), "end": one_hot(len(sums) - 1, end - 1)}


def cheapest_splits(n, rng, cost):
    """A table [n, n] with the best k at each (i, j): `cost(best, i, j, k)`, ties at random, anything elsewhere."""
    table = rng.integers(0, n, (n, n))

    @cache
    def best(i, j):
        costs = {k: cost(best, i, j, k) for k in range(i, j)}
        if not costs:
            return None
        least = min(costs.values())
        table[i, j] = rng.choice([k for k in costs if costs[k] <= least + 1e-12])
        return least

    return table, best


def recursive_matrix_chain(inputs, rng):
    p = inputs["p"].tolist()

    def cost(best, i, j, k):
        return (best(i, k) or 0) + (best(k + 1, j) or 0) + p[i - 1] * p[k] * p[j]

    table, best = cheapest_splits(len(p), rng, cost)
    best(1, len(p) - 1)
    return {"s": table}


def recursive_search_tree(inputs, rng):
    p, q = inputs["p"].tolist(), inputs["q"].tolist()

    def cost(best, i, j, r):
        left, right = (q[a] if a == b else best(a, b) for a, b in ((i, r), (r + 1, j)))
        return left + right + sum(p[i:j]) + sum(q[i : j + 1])

    table, best = cheapest_splits(len(q), rng, cost)
    best(0, len(q) - 1)
    return {"root": table}


def recursive_lcs(inputs, rng):
    """Directions that lead to a longest common subsequence from each cell, ties at random, anything elsewhere."""
    x, y = two_strings(inputs)
    n = len(x) + len(y)
    table = rng.integers(0, 4, (n, n))

    @cache
    def best(i, j):
        if i < 0 or j < 0:
            return 0
        lengths = [best(i - 1, j - 1) + 1 if x[i] == y[j] else -1, best(i - 1, j), best(i, j - 1)]
        table[i, len(x) + j] = rng.choice(np.flatnonzero(np.array(lengths) == max(lengths)))
        return max(lengths)

    best(len(x) - 1, len(y) - 1)
    return {"b": np.eye(4, dtype=np.int8)[table]}


def clique_of_activities(inputs, rng):
    """A largest clique of the graph of the activities that do not overlap."""
    s, f = inputs["s"], inputs["f"]
    graph = nx.Graph()
    graph.add_nodes_from(rng.permutation(len(s)).tolist())
    graph.add_edges_from((a, b) for a in graph for b in graph if a != b and (f[a] <= s[b] or f[b] <= s[a]))
    return {"selected": np.isin(np.arange(len(s)), nx.max_weight_clique(graph, weight=None)[0])}


def recursive_tasks(inputs, rng):
    """The tasks to do in order of falling penalty, of equal ones the most urgent first, so that the least is lost."""
    d, w = inputs["d"].tolist(), inputs["w"].tolist()
    order = np.lexsort((rng.random(len(d)), d, -inputs["w"])).tolist()

    @cache
    def kept(k, done):
        """The penalty that can be kept from the k-th task on if so many are done, and which tasks do it."""
        if k == len(order):
            return 0.0, ()
        choices = [kept(k + 1, done)]
        if done < max(d[order[k]], 1):
            penalty, tasks = kept(k + 1, done + 1)
            choices.append((penalty + w[order[k]], (order[k], *tasks)))
        return max(choices)

    return {"selected": np.isin(np.arange(len(d)), kept(0, 0)[1])}


def regular_expression(inputs, rng):
    haystack, needle = ("".join(map(str, word)) for word in two_strings(inputs))
    places = [match.start() for match in re.finditer(f"(?={needle})", haystack)]
    return {"match": one_hot(len(haystack) + len(needle), rng.choice(places) if places else len(haystack))}


def scipy_hull(inputs, rng):
    hull = ConvexHull(np.stack([inputs["x"], inputs["y"]], axis=1))
    return {"in_hull": np.isin(np.arange(len(inputs["x"])), hull.vertices)}


def linear_programme(inputs, rng):
    """Whether there are parameters in [0, 1] of both segments at which they are at the same point."""
    ends = np.stack([inputs["x"], inputs["y"]])
    a, b, c, d = ends.T
    meets = linprog([0, 0], A_eq=np.stack([b - a, c - d], axis=1), b_eq=c - a, bounds=(0, 1))
    return {"intersect": np.array(int(meets.success))}


SORTS = (python_sort, numpy_sort, heapq_sort)

SOLVERS = {
    "activity_selector": (clique_of_activities,),
    "binary_search": (bisect_search,),
    "bubble_sort": SORTS,
    "find_maximum_subarray_kadane": (numpy_subarray,),
    "graham_scan": (scipy_hull,),
    "heapsort": SORTS,
    "insertion_sort": SORTS,
    "jarvis_march": (scipy_hull,),
    "kmp_matcher": (regular_expression,),
    "lcs_length": (recursive_lcs,),
    "matrix_chain_order": (recursive_matrix_chain,),
    "minimum": (numpy_minimum,),
    "naive_string_matcher": (regular_expression,),
    "optimal_bst": (recursive_search_tree,),
    "quickselect": (numpy_median, statistics_median),
    "quicksort": SORTS,
    "segments_intersect": (linear_programme,),
    "task_scheduling": (recursive_tasks,),
}
