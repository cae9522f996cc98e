"""Outputs are right by somebody else's measure: networkx, NumPy or a direct check."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

from narlab import algorithms, data

COUNT = 20
UNDIRECTED = ("er:p=0.5", "er:p=0.2", "regular:k=4", "tree", "ba:m=2")


def instances(name, families=UNDIRECTED, n=16):
    """(inputs, outputs) of single samples, over several families of graphs."""
    for family in families:
        made = data.custom(name, n=n, count=COUNT, seed=11, graphs=family)
        for b in range(COUNT):
            yield {k: a[b] for k, a in made.inputs.items()}, {k: a[b] for k, a in made.outputs.items()}


def samples(name, n=16):
    algorithm = algorithms.get(name)
    inputs = algorithm.sample(n, COUNT, seed=12)
    outputs = algorithm.execute(inputs, hints=False).outputs
    for b in range(COUNT):
        yield {k: a[b] for k, a in inputs.items()}, {k: a[b] for k, a in outputs.items()}


def graph_of(inputs, directed=False):
    A = np.array(inputs["A"], float)
    np.fill_diagonal(A, 0)
    return nx.from_numpy_array(A, create_using=nx.DiGraph if directed else nx.Graph)


def path_length(parent, weights, source, node):
    total, steps = 0.0, 0
    while node != source:
        total += weights[parent[node], node]
        node = parent[node]
        steps += 1
        assert steps <= len(parent), "parents run in a circle"
    return total


@pytest.mark.parametrize("name", ["bubble_sort", "heapsort", "insertion_sort", "quicksort"])
def test_sorts_chain_the_sorted_order(name):
    for inputs, outputs in samples(name):
        order = np.argsort(inputs["key"])
        expected = np.empty(16, int)
        expected[order] = np.r_[order[0], order[:-1]]
        np.testing.assert_array_equal(outputs["pred"], expected)


def test_searching_finds():
    for inputs, outputs in samples("minimum"):
        assert outputs["min"].argmax() == inputs["key"].argmin()
    for inputs, outputs in samples("quickselect"):
        assert inputs["key"][outputs["median"].argmax()] == np.sort(inputs["key"])[8]
    for inputs, outputs in samples("binary_search"):
        assert outputs["return"].argmax() == min(np.searchsorted(inputs["key"], inputs["target"]), 15)


def test_kadane_finds_the_largest_sum():
    for inputs, outputs in samples("find_maximum_subarray_kadane"):
        key = inputs["key"]
        best = max(key[i : j + 1].sum() for i in range(16) for j in range(i, 16))
        first, last = outputs["start"].argmax(), outputs["end"].argmax()
        assert key[first : last + 1].sum() == pytest.approx(best)


def chain_cost(p, split, i, j):
    if i == j:
        return 0.0
    k = int(split[i, j])
    return chain_cost(p, split, i, k) + chain_cost(p, split, k + 1, j) + p[i - 1] * p[k] * p[j]


def test_matrix_chain_order_is_cheapest():
    for inputs, outputs in samples("matrix_chain_order", n=9):
        p = inputs["p"]
        best = np.zeros((9, 9))
        for length in range(1, 8):
            for i in range(1, 9 - length):
                j = i + length
                best[i, j] = min(best[i, k] + best[k + 1, j] + p[i - 1] * p[k] * p[j] for k in range(i, j))
        assert chain_cost(p, outputs["s"], 1, 8) == pytest.approx(best[1, 8])


def search_cost(p, q, root, i, j, depth):
    """Expected comparisons of the keys i to j - 1 and the gaps around them below a node of that depth."""
    if i == j:
        return q[i] * depth
    r = int(root[i, j])
    left, right = search_cost(p, q, root, i, r, depth + 1), search_cost(p, q, root, r + 1, j, depth + 1)
    return left + right + p[r] * depth


def test_optimal_bst_is_cheapest():
    for inputs, outputs in samples("optimal_bst", n=6):
        p, q = inputs["p"], inputs["q"]

        def best(i, j, depth, p=p, q=q):
            if i == j:
                return q[i] * depth
            return min(best(i, r, depth + 1) + best(r + 1, j, depth + 1) + p[r] * depth for r in range(i, j))

        assert search_cost(p, q, outputs["root"], 0, 6, 1) == pytest.approx(best(0, 6, 1))


def test_lcs_length_leads_to_a_longest_common_subsequence():
    for inputs, outputs in samples("lcs_length"):
        letters = inputs["key"].argmax(-1)
        first, second = letters[:8], letters[8:]
        table = np.zeros((9, 9), int)
        for i in range(8):
            for j in range(8):
                same = first[i] == second[j]
                table[i + 1, j + 1] = table[i, j] + 1 if same else max(table[i, j + 1], table[i + 1, j])
        i, j, found = 7, 7, 0
        while i >= 0 and j >= 0:
            direction = outputs["b"][i, 8 + j].argmax()
            found += direction == 0
            i, j = i - (direction != 2), j - (direction != 1)
        assert found == table[8, 8]


def test_activity_selector_chooses_a_largest_compatible_set():
    for inputs, outputs in samples("activity_selector"):
        s, f = inputs["s"], inputs["f"]
        chosen = np.flatnonzero(outputs["selected"])
        assert all(f[a] <= s[b] for a, b in pairwise(chosen[np.argsort(f[chosen])]))
        best, last = 0, -np.inf
        for k in np.argsort(f):
            if s[k] >= last:
                best, last = best + 1, f[k]
        assert len(chosen) == best


def test_task_scheduling_is_greedy_by_penalty():
    for inputs, outputs in samples("task_scheduling"):
        chosen: list[int] = []
        for k in np.argsort(-inputs["w"]):
            if not chosen or len(chosen) < inputs["d"][k]:
                chosen.append(k)
        assert set(np.flatnonzero(outputs["selected"])) == set(chosen)


def test_bfs_parents_are_on_shortest_paths():
    for inputs, outputs in instances("bfs"):
        source = int(inputs["s"].argmax())
        distance = nx.single_source_shortest_path_length(graph_of(inputs), source)
        for v, parent in enumerate(outputs["pi"]):
            if v == source or v not in distance:
                assert parent == v
            else:
                assert distance[parent] + 1 == distance[v]
                assert inputs["A"][parent, v]


def test_dfs_parents_are_those_of_the_recursive_search():
    for inputs, outputs in instances("dfs"):
        graph = graph_of(inputs, directed=True)
        expected, seen = list(range(16)), set()

        def visit(u, graph=graph, expected=expected, seen=seen):
            seen.add(u)
            for v in sorted(graph[u]):
                if v not in seen:
                    expected[v] = u
                    visit(v)

        for start in range(16):
            if start not in seen:
                visit(start)
        assert list(outputs["pi"]) == expected


def test_topological_sort_is_a_topological_order():
    for inputs, outputs in instances("topological_sort"):
        order = [int(outputs["topo_head"].argmax())]
        while outputs["topo"][order[-1]] != order[-1]:
            order.append(int(outputs["topo"][order[-1]]))
        place = {node: k for k, node in enumerate(order)}
        assert sorted(order) == list(range(16))
        assert all(place[u] < place[v] for u, v in graph_of(inputs, directed=True).edges)


def test_cut_vertices_and_bridges_are_networkx_s():
    for inputs, outputs in instances("articulation_points"):
        assert set(np.flatnonzero(outputs["is_cut"])) == set(nx.articulation_points(graph_of(inputs)))
    for inputs, outputs in instances("bridges"):
        expected = {frozenset(edge) for edge in nx.bridges(graph_of(inputs))}
        assert {frozenset(map(int, edge)) for edge in np.argwhere(outputs["is_bridge"] == 1)} == expected
        edges = (inputs["A"] != 0) | np.eye(16, dtype=bool)
        np.testing.assert_array_equal(outputs["is_bridge"] == -1, ~edges)


def test_strongly_connected_components_are_networkx_s():
    families = ("communities:k=4", "er:p=0.1", "regular:k=2", "ring")
    for inputs, outputs in instances("strongly_connected_components", families):
        components = list(nx.strongly_connected_components(graph_of(inputs, directed=True)))
        found = {frozenset(np.flatnonzero(outputs["scc_id"] == r).tolist()) for r in set(outputs["scc_id"])}
        assert found == set(map(frozenset, components))


def test_spanning_trees_weigh_as_little_as_networkx_s():
    for inputs, outputs in instances("mst_kruskal"):
        graph, found = graph_of(inputs), np.triu(outputs["in_mst"], 1)
        best = nx.minimum_spanning_tree(graph).size("weight")
        assert (found * inputs["A"]).sum() == pytest.approx(best)
        assert nx.is_forest(nx.from_numpy_array(found))
    for inputs, outputs in instances("mst_prim"):
        graph, source = graph_of(inputs), int(inputs["s"].argmax())
        component = nx.node_connected_component(graph, source)
        tree = [(v, int(p)) for v, p in enumerate(outputs["pi"]) if v != p]
        assert {v for v, _ in tree} | {source} == component
        best = nx.minimum_spanning_tree(graph.subgraph(component)).size("weight")
        assert sum(inputs["A"][p, v] for v, p in tree) == pytest.approx(best)


@pytest.mark.parametrize("name", ["bellman_ford", "dijkstra", "dag_shortest_paths"])
def test_shortest_paths_are_as_short_as_networkx_s(name):
    for inputs, outputs in instances(name):
        source = int(inputs["s"].argmax())
        graph = graph_of(inputs, directed=name == "dag_shortest_paths")
        distance = nx.single_source_dijkstra_path_length(graph, source)
        for v, parent in enumerate(outputs["pi"]):
            if v not in distance:
                assert parent == v
            else:
                assert path_length(outputs["pi"], inputs["A"], source, v) == pytest.approx(distance[v])


def test_floyd_warshall_predecessors_lie_on_shortest_paths():
    for inputs, outputs in instances("floyd_warshall"):
        distance = dict(nx.all_pairs_dijkstra_path_length(graph_of(inputs)))
        for i in range(16):
            for j in range(16):
                if i != j and j in distance[i]:
                    total = path_length(outputs["Pi"][i], inputs["A"], i, j)
                    assert total == pytest.approx(distance[i][j])
                elif i != j:
                    assert outputs["Pi"][i, j] == i


@pytest.mark.parametrize("name", ["naive_string_matcher", "kmp_matcher"])
def test_matchers_find_the_first_match(name):
    for inputs, outputs in samples(name, n=20):
        letters = "".join(map(str, inputs["key"].argmax(-1)))
        haystack, needle = letters[:16], letters[16:]
        assert outputs["match"].argmax() == haystack.find(needle)


@pytest.mark.parametrize("name", ["graham_scan", "jarvis_march"])
def test_hulls_are_scipy_s(name):
    from scipy.spatial import ConvexHull

    for inputs, outputs in samples(name):
        expected = ConvexHull(np.stack([inputs["x"], inputs["y"]], axis=1)).vertices
        assert set(np.flatnonzero(outputs["in_hull"])) == set(expected)


def test_segments_intersect_where_their_lines_cross_inside_both():
    for inputs, outputs in samples("segments_intersect"):
        (a, b, c, d) = np.stack([inputs["x"], inputs["y"]], axis=1)
        along, across = np.linalg.solve(np.stack([b - a, c - d], axis=1), c - a)
        assert outputs["intersect"] == (0 <= along <= 1 and 0 <= across <= 1)
