"""Facts of the benchmark and of the paper: they don't depend on what is installed."""

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
