"""The definitions of all 30 problems: what `valid` is held against."""

from collections.abc import Callable

from . import graph_definitions as graphs
from . import sequence_definitions as sequences
from .problem import Instance, Problem

DEFINITIONS: dict[str, Callable[[Instance], Problem]] = {
    "activity_selector": sequences.activity_selector,
    "articulation_points": graphs.articulation_points,
    "bellman_ford": graphs.shortest_paths,
    "bfs": graphs.bfs,
    "binary_search": sequences.binary_search,
    "bridges": graphs.bridges,
    "bubble_sort": sequences.sort,
    "dag_shortest_paths": graphs.shortest_paths,
    "dfs": graphs.dfs,
    "dijkstra": graphs.shortest_paths,
    "find_maximum_subarray_kadane": sequences.find_maximum_subarray_kadane,
    "floyd_warshall": graphs.floyd_warshall,
    "graham_scan": sequences.convex_hull,
    "heapsort": sequences.sort,
    "insertion_sort": sequences.sort,
    "jarvis_march": sequences.convex_hull,
    "kmp_matcher": sequences.string_matcher,
    "lcs_length": sequences.lcs_length,
    "matrix_chain_order": sequences.matrix_chain_order,
    "minimum": sequences.minimum,
    "mst_kruskal": graphs.mst_kruskal,
    "mst_prim": graphs.mst_prim,
    "naive_string_matcher": sequences.string_matcher,
    "optimal_bst": sequences.optimal_bst,
    "quickselect": sequences.quickselect,
    "quicksort": sequences.sort,
    "segments_intersect": sequences.segments_intersect,
    "strongly_connected_components": graphs.strongly_connected_components,
    "task_scheduling": sequences.task_scheduling,
    "topological_sort": graphs.topological_sort,
}


def is_right(name: str, inputs: Instance, outputs: Instance) -> bool:
    """Whether `outputs` is a correct answer of the algorithm's problem; both without a batch axis."""
    return DEFINITIONS[name](inputs).is_right(outputs)
