"""What is right on graphs: by all paths, all traversals, all orders, all sets of edges, and by taking things away."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, permutations

import networkx as nx
import numpy as np

from .problem import Instance, Problem, optimisation

Arcs = dict[tuple[int, int], float]  # the weight of each arc (u, v), u != v


def arcs_of(inputs: Instance) -> Arcs:
    A = inputs["A"].tolist()
    n = len(A)
    return {(u, v): A[u][v] for u in range(n) for v in range(n) if u != v and A[u][v] != 0}


def undirected(inputs: Instance) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(range(len(inputs["A"])))
    graph.add_edges_from(arcs_of(inputs))
    return graph


def source_of(inputs: Instance) -> int:
    return inputs["s"].tolist().index(1)


def simple_paths(n: int, arcs: Arcs, path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All paths that begin with `path` and visit no node twice."""
    yield path
    for v in range(n):
        if v not in path and (path[-1], v) in arcs:
            yield from simple_paths(n, arcs, (*path, v))


def length(path: tuple[int, ...], arcs: Arcs) -> float:
    return sum(arcs[path[k], path[k + 1]] for k in range(len(path) - 1))


def distances(n: int, arcs: Arcs, source: int) -> dict[int, float]:
    """The length of the shortest of all paths to each node that is reached."""
    found: dict[int, float] = {}
    for path in simple_paths(n, arcs, (source,)):
        found[path[-1]] = min(found.get(path[-1], np.inf), length(path, arcs))
    return found


def path_by(parent: Sequence[int], arcs: Arcs, source: int, v: int) -> tuple[int, ...] | None:
    """The path from the source to `v` that the parents tell, or None if they tell none."""
    path = [v]
    while path[-1] != source:
        u = parent[path[-1]]
        if u in path or (u, path[-1]) not in arcs:
            return None
        path.append(u)
    return tuple(reversed(path))


def total_length(parent: Sequence[int], arcs: Arcs, source: int, ends: Iterable[int]) -> float | None:
    """The sum of the paths to `ends` that the parents tell, or None if one is missing."""
    paths = [path_by(parent, arcs, source, v) for v in ends]
    return None if None in paths else sum(length(path, arcs) for path in paths)


def shortest_path_tree(n: int, arcs: Arcs, source: int) -> Problem:
    """All paths of a tree are shortest ones; the source and the nodes out of reach point to themselves."""
    best = distances(n, arcs, source)

    def total(outputs: Instance) -> float | None:
        parent = outputs["pi"].tolist()
        if any(parent[v] != v for v in range(n) if v == source or v not in best):
            return None
        return total_length(parent, arcs, source, best)

    return optimisation(sum(best.values()), total)


def bfs(inputs: Instance) -> Problem:
    """All paths of the tree have as few arcs as any path."""
    return shortest_path_tree(len(inputs["A"]), dict.fromkeys(arcs_of(inputs), 1), source_of(inputs))


def shortest_paths(inputs: Instance) -> Problem:
    """All paths of the tree are as short as any path."""
    return shortest_path_tree(len(inputs["A"]), arcs_of(inputs), source_of(inputs))


def floyd_warshall(inputs: Instance) -> Problem:
    """Each row tells shortest paths from its node, and itself where there is none; a node with a self-loop has a
    shortest closed walk, of which the self-loop is one, and one without points to itself.
    """
    A = inputs["A"].tolist()
    n, arcs = len(A), arcs_of(inputs)
    best = [distances(n, arcs, i) for i in range(n)]

    def shortest_closed_walk(i: int) -> float:
        others = [best[i][k] + arcs[k, i] for k in best[i] if (k, i) in arcs]
        return min([A[i][i], *others]) if A[i][i] else 0.0

    def closed_walk(i: int, row: tuple[int, ...]) -> float | None:
        """The length of the walk from i to i that the row tells."""
        last = row[i]
        if last == i:
            return A[i][i]
        path = path_by(row, arcs, i, last)
        return length(path, arcs) + arcs[last, i] if path and A[i][i] and (last, i) in arcs else None

    @cache
    def row_length(i: int, row: tuple[int, ...]) -> float | None:
        walk, paths = closed_walk(i, row), total_length(row, arcs, i, best[i])
        if walk is None or paths is None or any(row[v] != i for v in range(n) if v not in best[i]):
            return None
        return walk + paths

    def total(outputs: Instance) -> float | None:
        rows = [row_length(i, tuple(row)) for i, row in enumerate(outputs["Pi"].tolist())]
        return None if None in rows else sum(rows)

    return optimisation(sum(sum(best[i].values()) + shortest_closed_walk(i) for i in range(n)), total)


def depth_first_forests(n: int, arcs: Arcs) -> set[tuple[int, ...]]:
    """The parents of all runs of a depth-first search: at each moment any choice of what to visit next."""
    seen, forests = set(), set()
    todo = [((), frozenset(), tuple(range(n)))]  # the stack, what was visited, the parents
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        stack, visited, parent = state
        if len(visited) == n:
            forests.add(parent)
        elif not stack:
            todo += [((v,), visited | {v}, parent) for v in range(n) if v not in visited]
        else:
            u = stack[-1]
            following = [v for v in range(n) if (u, v) in arcs and v not in visited]
            for v in following:
                todo.append(((*stack, v), visited | {v}, (*parent[:v], u, *parent[v + 1 :])))
            if not following:
                todo.append((stack[:-1], visited, parent))
    return forests


def dfs(inputs: Instance) -> Problem:
    """Some run of a depth-first search gives the forest."""
    forests = depth_first_forests(len(inputs["A"]), arcs_of(inputs))
    return Problem(lambda outputs: tuple(outputs["pi"].tolist()) in forests)


def topological_sort(inputs: Instance) -> Problem:
    """The list is one of the orders of all nodes in which no arc points back."""
    n, arcs = len(inputs["A"]), arcs_of(inputs)
    lists = set()
    for order in permutations(range(n)):
        if all(order.index(u) < order.index(v) for u, v in arcs):
            successor = [order[min(order.index(v) + 1, n - 1)] for v in range(n)]
            lists.add((order[0], *successor))
    return Problem(lambda outputs: (outputs["topo_head"].tolist().index(1), *outputs["topo"].tolist()) in lists)


def articulation_points(inputs: Instance) -> Problem:
    """Exactly the nodes without which there are more components than before."""
    graph = undirected(inputs)
    parts = nx.number_connected_components(graph)

    def without(v: int) -> int:
        rest = graph.subgraph(set(graph) - {v})
        return nx.number_connected_components(rest) if len(rest) else 0

    cut = [int(without(v) > parts) for v in graph]
    return Problem(lambda outputs: outputs["is_cut"].tolist() == cut)


def bridges(inputs: Instance) -> Problem:
    """Exactly the edges without which there are more components; no loop is one, and pairs without an edge are
    nobody's business.
    """
    graph = undirected(inputs)
    parts = nx.number_connected_components(graph)

    def separates(u: int, v: int) -> bool:
        rest = graph.copy()
        rest.remove_edge(u, v)
        return nx.number_connected_components(rest) > parts

    expected = {(v, v): 0 for v in graph} | {(u, v): int(separates(u, v)) for u, v in arcs_of(inputs)}
    return Problem(lambda outputs: all(outputs["is_bridge"][pair] == mark for pair, mark in expected.items()))


def strongly_connected_components(inputs: Instance) -> Problem:
    """Two nodes point to the same node exactly if each reaches the other, and to one that they reach and that reaches
    them.
    """
    n, arcs = len(inputs["A"]), arcs_of(inputs)
    reach = [{path[-1] for path in simple_paths(n, arcs, (v,))} for v in range(n)]
    together = [{v for v in reach[u] if u in reach[v]} for u in range(n)]

    def is_right(outputs: Instance) -> bool:
        pointer = outputs["scc_id"].tolist()
        inside = all(pointer[u] in together[u] for u in range(n))
        return inside and all(pointer[u] == pointer[v] for u in range(n) for v in together[u])

    return Problem(is_right)


def spanning_forests(graph: nx.Graph) -> Iterator[frozenset[tuple[int, int]]]:
    """All sets of edges (u < v) that connect what the graph connects and have no edge to spare."""
    size = len(graph) - nx.number_connected_components(graph)
    edges = [(min(edge), max(edge)) for edge in graph.edges]
    for chosen in combinations(edges, size):
        forest = nx.Graph(chosen)
        forest.add_nodes_from(graph)
        if nx.number_connected_components(forest) == len(graph) - size:
            yield frozenset(chosen)


def spanning_forest(graph: nx.Graph, A: np.ndarray, chosen: Callable[[Instance], frozenset | None]) -> Problem:
    """The edges that `chosen` reads in an answer are a spanning forest, and none weighs less."""
    weights = {forest: sum(float(A[edge]) for edge in forest) for forest in spanning_forests(graph)}
    return optimisation(min(weights.values()), lambda outputs: weights.get(chosen(outputs)))


def mst_kruskal(inputs: Instance) -> Problem:
    """The marks are on both directions of the edges of a lightest spanning forest."""

    def chosen(outputs: Instance) -> frozenset | None:
        rows = enumerate(outputs["in_mst"].tolist())
        pairs = {(u, v) for u, row in rows for v, mark in enumerate(row) if mark}
        if any((v, u) not in pairs or u == v for u, v in pairs):
            return None
        return frozenset((u, v) for u, v in pairs if u < v)

    return spanning_forest(undirected(inputs), inputs["A"], chosen)


def mst_prim(inputs: Instance) -> Problem:
    """All nodes that the source reaches, and no others, have a parent; their edges are a lightest spanning tree."""
    graph, source = undirected(inputs), source_of(inputs)
    component = nx.node_connected_component(graph, source)

    def chosen(outputs: Instance) -> frozenset | None:
        parent = outputs["pi"].tolist()
        if any((parent[v] != v) != (v in component and v != source) for v in graph):
            return None
        return frozenset((min(v, u), max(v, u)) for v, u in enumerate(parent) if v != u)

    return spanning_forest(graph.subgraph(component), inputs["A"], chosen)
