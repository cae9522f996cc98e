"""The 30 algorithms of the CLRS benchmark, one file each.

A file of this folder is an algorithm and its name is the algorithm's; the subfolders hold what they share.
"""

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from narlab.common.names import unknown

if TYPE_CHECKING:
    from narlab.algorithms.engine import Algorithm

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


@cache
def names() -> tuple[str, ...]:
    """The names of all algorithms, in alphabetical order."""
    return tuple(sorted(file.stem for file in Path(__file__).parent.glob("*.py") if file.stem != "__init__"))


def get(name: str) -> "Algorithm":
    """The algorithm called `name`."""
    if name not in names():
        raise unknown("algorithm", name, names())
    return import_module(f"narlab.algorithms.{name}").ALGORITHM
