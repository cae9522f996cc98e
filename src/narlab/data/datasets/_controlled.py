"""What the three data sets with controlled shifts share: K-regular graphs, or communities where the task needs them."""

from narlab.data.generation import Description

SPLITS = ("train", "val", "test")
SEEDS = {"train": 1, "val": 2, "test": 3}
GRAPH_TASKS = (
    "bellman_ford",
    "bfs",
    "dag_shortest_paths",
    "dfs",
    "floyd_warshall",
    "mst_kruskal",
    "mst_prim",
    "strongly_connected_components",
    "topological_sort",
)


def controlled(dataset: str, algorithm: str, split: str, *, n: int, degree: int, communities: int = 4) -> Description:
    """A split of graphs of `degree`; strongly_connected_components has that many `communities` instead."""
    count = 100_000 if split == "train" else 1000
    components = algorithm == "strongly_connected_components"
    graphs = f"communities:k={communities}" if components else f"regular:k={degree}"
    return Description(dataset, algorithm, split, n=n, count=count, seed=SEEDS[split], graphs=graphs)
