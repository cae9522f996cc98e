"""The 30 algorithms of the CLRS benchmark, one file each, and those that other packages bring.

A file of this folder is an algorithm and its name is the algorithm's; the subfolders hold what they share.
"""

from typing import TYPE_CHECKING, Any

from narlab.common.catalogue import Catalogue

if TYPE_CHECKING:
    from narlab.algorithms.engine import Algorithm

__all__ = ["CATALOGUE", "CLRS_30", "DISTINCT", "SAME_TASK", "get", "names"]

# Facts of the benchmark and of the paper, which don't depend on what is installed:
DISTINCT = {
    "activity_selector": 1,
    "articulation_points": 1,
    "bellman_ford": 2,  # and dijkstra
    "bfs": 1,
    "binary_search": 1,
    "bridges": 1,
    "dag_shortest_paths": 1,
    "dfs": 1,
    "find_maximum_subarray_kadane": 1,
    "floyd_warshall": 1,
    "graham_scan": 2,  # and jarvis_march
    "lcs_length": 1,
    "matrix_chain_order": 1,
    "minimum": 1,
    "mst_kruskal": 1,
    "mst_prim": 1,
    "naive_string_matcher": 2,  # and kmp_matcher
    "optimal_bst": 1,
    "quickselect": 1,
    "quicksort": 4,  # and bubble_sort, heapsort, insertion_sort
    "segments_intersect": 1,
    "strongly_connected_components": 1,
    "task_scheduling": 1,
    "topological_sort": 1,
}
"""The paper's 24 distinct tasks, each with the number of algorithms that it stands for; without hints the others are
the same task."""

SAME_TASK = ("bubble_sort", "dijkstra", "heapsort", "insertion_sort", "jarvis_march", "kmp_matcher")
"""The algorithms that are one of the 24 tasks under another name, where no hints tell them apart."""

CLRS_30 = tuple(sorted((*DISTINCT, *SAME_TASK)))
"""The names of the benchmark's 30 algorithms, in alphabetical order."""


def _is_algorithm(thing: Any) -> bool:
    from narlab.algorithms.engine import Algorithm

    return isinstance(thing, Algorithm)


CATALOGUE = Catalogue(
    kind="algorithm",
    folder="narlab.algorithms",
    attribute="ALGORITHM",
    group="narlab.algorithms",
    accepts=_is_algorithm,
    wanted="an Algorithm of narlab.algorithms.engine",
)
names = CATALOGUE.names


def get(name: "str | Algorithm") -> "Algorithm":
    """The algorithm called `name`; an `Algorithm` is its own.

    >>> get("bfs").family
    'graphs'
    """
    return CATALOGUE.get(name)
