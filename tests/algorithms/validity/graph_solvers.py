"""Other people's solvers on graphs, in the benchmark's format: networkx, SciPy and the standard library.

A solver takes one instance and a random generator, which breaks its ties where the solver lets it.
"""

from graphlib import TopologicalSorter

import networkx as nx
import numpy as np
from scipy.sparse import csgraph


def shuffled(inputs, rng, kind=nx.DiGraph):
    """The graph with nodes and arcs in random order, in which networkx goes through them."""
    arcs = np.argwhere(inputs["A"] != 0)
    graph = kind()
    graph.add_nodes_from(rng.permutation(len(inputs["A"])).tolist())
    graph.add_weighted_edges_from((u, v, inputs["A"][u, v]) for u, v in rng.permutation(arcs).tolist() if u != v)
    return graph


def source_of(inputs):
    return int(inputs["s"].argmax())


def parents(n, predecessors):
    """Pointers [n] from pairs (node, predecessor); the others point to themselves."""
    pi = np.arange(n)
    for v, u in predecessors:
        pi[v] = u
    return {"pi": pi}


def one_hot(n, node):
    return (np.arange(n) == node).astype(np.int8)


def from_scipy(predecessor):
    """SciPy's word for nobody is -9999."""
    return {"pi": np.where(predecessor < 0, np.arange(len(predecessor)), predecessor)}


def networkx_bfs(inputs, rng):
    return parents(len(inputs["A"]), nx.bfs_predecessors(shuffled(inputs, rng), source_of(inputs)))


def scipy_bfs(inputs, rng):
    return from_scipy(csgraph.breadth_first_order(inputs["A"].astype(float), source_of(inputs))[1])


def networkx_dfs(inputs, rng):
    return parents(len(inputs["A"]), ((v, u) for u, v in nx.dfs_edges(shuffled(inputs, rng))))


def networkx_shortest_paths(inputs, rng):
    paths = nx.single_source_bellman_ford_path(shuffled(inputs, rng), source_of(inputs))
    return parents(len(inputs["A"]), ((v, path[-2]) for v, path in paths.items() if len(path) > 1))


def networkx_dijkstra(inputs, rng):
    """Of several predecessors on shortest paths, any; weights are positive, so that they close no circle."""
    predecessors, _ = nx.dijkstra_predecessor_and_distance(shuffled(inputs, rng), source_of(inputs))
    return parents(len(inputs["A"]), ((v, rng.choice(us)) for v, us in predecessors.items() if us))


def scipy_bellman_ford(inputs, rng):
    return from_scipy(csgraph.bellman_ford(inputs["A"], indices=source_of(inputs), return_predecessors=True)[1])


def scipy_dijkstra(inputs, rng):
    return from_scipy(csgraph.dijkstra(inputs["A"], indices=source_of(inputs), return_predecessors=True)[1])


def with_diagonal(inputs, Pi, rng):
    """The benchmark's diagonal: itself, or the last node before the end of a shortest closed walk if it has a loop."""
    A = inputs["A"]
    for i in np.flatnonzero(A.diagonal()):
        distance = csgraph.bellman_ford(np.where(np.eye(len(A)), 0, A), indices=i)
        walks = np.where(A[:, i] != 0, distance + A[:, i], np.inf)
        Pi[i, i] = rng.choice(np.flatnonzero(walks == walks.min()))
    return {"Pi": Pi}


def scipy_floyd_warshall(inputs, rng):
    _, Pi = csgraph.floyd_warshall(inputs["A"], return_predecessors=True)
    return with_diagonal(inputs, np.where(Pi < 0, np.arange(len(Pi))[:, None], Pi), rng)


def networkx_all_pairs(inputs, rng):
    n = len(inputs["A"])
    Pi = np.repeat(np.arange(n)[:, None], n, axis=1)
    predecessors, _ = nx.floyd_warshall_predecessor_and_distance(shuffled(inputs, rng))
    for i, row in predecessors.items():
        for j, last in row.items():
            Pi[i, j] = last
    return with_diagonal(inputs, Pi, rng)


def networkx_topological_sort(inputs, rng):
    return as_list(list(nx.topological_sort(shuffled(inputs, rng))))


def graphlib_topological_sort(inputs, rng):
    graph = shuffled(inputs, rng)
    return as_list(list(TopologicalSorter({v: list(graph.predecessors(v)) for v in graph}).static_order()))


def as_list(order):
    topo = np.empty(len(order), int)
    topo[order] = [*order[1:], order[-1]]
    return {"topo": topo, "topo_head": one_hot(len(order), order[0])}


def networkx_articulation_points(inputs, rng):
    cut = list(nx.articulation_points(shuffled(inputs, rng, nx.Graph)))
    return {"is_cut": np.isin(np.arange(len(inputs["A"])), cut)}


def networkx_bridges(inputs, rng):
    """What is no edge has any mark, as a model's prediction has."""
    n = len(inputs["A"])
    marks = np.where((inputs["A"] != 0) | np.eye(n, dtype=bool), 0, rng.integers(-1, 2, (n, n)))
    for u, v in nx.bridges(shuffled(inputs, rng, nx.Graph)):
        marks[u, v] = marks[v, u] = 1
    return {"is_bridge": marks}


def representatives(components, rng):
    pointers = np.empty(sum(map(len, components)), int)
    for members in map(list, components):
        pointers[members] = rng.choice(members)
    return {"scc_id": pointers}


def networkx_components(inputs, rng):
    return representatives(list(nx.strongly_connected_components(shuffled(inputs, rng))), rng)


def scipy_components(inputs, rng):
    count, label = csgraph.connected_components(inputs["A"], connection="strong")
    return representatives([np.flatnonzero(label == k) for k in range(count)], rng)


def networkx_spanning_forest(inputs, rng):
    method = str(rng.choice(["kruskal", "prim", "boruvka"]))
    return nx.minimum_spanning_tree(shuffled(inputs, rng, nx.Graph), algorithm=method)


def scipy_spanning_forest(inputs, rng):
    """With a random order of nodes, which decides its ties."""
    order = rng.permutation(len(inputs["A"]))
    A = np.where(np.eye(len(order)), 0, inputs["A"])[order][:, order]
    forest = csgraph.minimum_spanning_tree(A).tocoo()
    found = nx.Graph(zip(order[forest.row].tolist(), order[forest.col].tolist(), strict=True))
    found.add_nodes_from(order.tolist())
    return found


def marked_pairs(solve):
    def solver(inputs, rng):
        forest = solve(inputs, rng)
        return {"in_mst": nx.to_numpy_array(forest, nodelist=range(len(forest)), weight=None)}

    return solver


def rooted(solve):
    def solver(inputs, rng):
        return parents(len(inputs["A"]), nx.bfs_predecessors(solve(inputs, rng), source_of(inputs)))

    return solver


FORESTS = (networkx_spanning_forest, scipy_spanning_forest)

SOLVERS = {
    "articulation_points": (networkx_articulation_points,),
    "bellman_ford": (networkx_shortest_paths, scipy_bellman_ford),
    "bfs": (networkx_bfs, scipy_bfs),
    "bridges": (networkx_bridges,),
    "dag_shortest_paths": (networkx_shortest_paths, scipy_bellman_ford),
    "dfs": (networkx_dfs,),
    "dijkstra": (networkx_shortest_paths, networkx_dijkstra, scipy_dijkstra),
    "floyd_warshall": (scipy_floyd_warshall, networkx_all_pairs),
    "mst_kruskal": tuple(map(marked_pairs, FORESTS)),
    "mst_prim": tuple(map(rooted, FORESTS)),
    "strongly_connected_components": (networkx_components, scipy_components),
    "topological_sort": (networkx_topological_sort, graphlib_topological_sort),
}
