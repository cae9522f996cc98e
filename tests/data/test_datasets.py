"""The named data sets are the paper's table of configurations; custom ones are what was asked for."""

import networkx as nx
import numpy as np
import pytest

from narlab import algorithms, data
from narlab.data.datasets._controlled import GRAPH_TASKS

CONFIGURATIONS = {  # train and validation n, test n, training samples, validation and test samples
    "l_clrs_len": (16, 32, 100_000, 1000),
    "l_clrs_deg": (32, 32, 100_000, 1000),
    "l_clrs_len_deg": (16, 32, 100_000, 1000),
}
DEGREES = {"l_clrs_len": (4, 4), "l_clrs_deg": (4, 8), "l_clrs_len_deg": (4, 8)}
MULTIPLIERS = {"find_maximum_subarray_kadane": 32} | dict.fromkeys(
    ("quickselect", "minimum", "binary_search", "naive_string_matcher", "kmp_matcher", "segments_intersect"), 64
)
QUICK = ("bfs", "naive_string_matcher", "optimal_bst", "segments_intersect")
FEW = [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in algorithms.CLRS_30]
NODES = {"optimal_bst": 1.0625, "naive_string_matcher": 1.25, "kmp_matcher": 1.25}


@pytest.mark.parametrize("name", FEW)
def test_sizes_of_clrs_and_l_clrs(name):
    for dataset, training in (("clrs", 1000), ("l_clrs", 100_000)):
        assert len(data.load(dataset, name, "train")) == training
        for split, n in (("val", 16), ("test", 64)):
            loaded = data.load(dataset, name, split)
            assert len(loaded) == 32 * MULTIPLIERS.get(name, 1)
            nodes = 4 if name == "segments_intersect" else n + 1 if name == "optimal_bst" else n
            if name in ("naive_string_matcher", "kmp_matcher"):
                nodes = 20 if n == 16 else 80
            assert loaded.inputs["pos"].shape[1] == nodes


@pytest.mark.parametrize("dataset", CONFIGURATIONS)
@pytest.mark.parametrize("name", GRAPH_TASKS)
def test_controlled_shifts(dataset, name):
    small, large, training, few = CONFIGURATIONS[dataset]
    for split, n, count, degree in (
        ("train", small, training, DEGREES[dataset][0]),
        ("val", small, few, DEGREES[dataset][0]),
        ("test", large, few, DEGREES[dataset][1]),
    ):
        loaded = data.load(dataset, name, split)
        assert (len(loaded), loaded.description.n) == (count, n)
        graph = loaded[:20].inputs["A"] != 0
        if name == "strongly_connected_components":
            continue
        assert not np.trace(graph, axis1=1, axis2=2).any()
        if name == "dfs":
            assert (graph.sum(1) == degree).all()
            assert (graph.sum(2) == degree).all()
        elif name in ("topological_sort", "dag_shortest_paths"):
            assert graph.sum(1).max() <= degree
            assert all(nx.is_directed_acyclic_graph(nx.from_numpy_array(g, create_using=nx.DiGraph)) for g in graph)
        else:
            assert (graph.sum(1) == degree).all()
            np.testing.assert_array_equal(graph, graph.swapaxes(1, 2))


def test_communities_as_executed():
    communities = {
        (dataset, split): data.load(dataset, "strongly_connected_components", split).description.graphs
        for dataset in CONFIGURATIONS
        for split in ("train", "test")
    }
    assert communities == {
        ("l_clrs_len", "train"): "communities:k=4",
        ("l_clrs_len", "test"): "communities:k=4",
        ("l_clrs_deg", "train"): "communities:k=8",
        ("l_clrs_deg", "test"): "communities:k=4",
        ("l_clrs_len_deg", "train"): "communities:k=4",
        ("l_clrs_len_deg", "test"): "communities:k=4",
    }


def test_two_communities_come_in_pairs():
    dataset = data.load("bridges_two_communities", "bridges", "test")
    assert len(dataset) == 2000
    part = dataset[:200]
    A, bridge, joining = part.inputs["A"], part.outputs["is_bridge"], part.marks["joining_edge"]
    for k in range(0, 200, 2):
        (u, v), extra = joining[k], A[k + 1] != A[k]
        np.testing.assert_array_equal(joining[k], joining[k + 1])
        assert A[k][u, v] == A[k + 1][u, v] == 1
        assert extra.sum() == 2  # one more edge, in both directions
        assert (A[k + 1][extra] == 1).all()
        assert bridge[k][u, v] == 1
        assert bridge[k + 1][u, v] == 0
        halves = nx.from_numpy_array(A[k])
        halves.remove_edge(u, v)
        assert sorted(map(len, nx.connected_components(halves))) == [32, 32]


def test_training_differs_from_validation_and_test():
    train, val = (data.load("l_clrs_len", "bfs", split)[:1000].inputs["A"] for split in ("train", "val"))
    assert not {graph.tobytes() for graph in train} & {graph.tobytes() for graph in val}


def test_weights_lie_in_their_range():
    made = data.custom("dag_shortest_paths", n=16, count=50, weights=(0.5, 0.75))
    weights = made.inputs["A"][made.inputs["A"] != 0]
    assert 0.5 <= weights.min() < 0.51
    assert 0.74 < weights.max() < 0.75


def test_the_benchmark_s_undirected_edges_have_probability_p_squared():
    for family, expected in (("er:p=0.5", 0.25), ("er_strict:p=0.5", 0.5)):
        A = data.custom("bfs", n=16, count=2000, graphs=family).inputs["A"]
        density = A[:, ~np.eye(16, dtype=bool)].mean()
        assert abs(density - expected) < 0.01


def test_indexing():
    dataset = data.load("clrs", "bfs", "val")
    np.testing.assert_array_equal(dataset[-1].inputs["A"], dataset.inputs["A"][-1])
    assert len(dataset[::2]) == 16
    assert repr(dataset) == "<Dataset clrs/bfs/val: 32 samples, n=16>"
    with pytest.raises(IndexError):
        dataset[32]
    with pytest.raises(ValueError, match="ask for them with hints=True"):
        _ = dataset.hints


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("lclrs", "bfs", "train"), r"unknown data set 'lclrs'; did you mean 'l_clrs'\?"),
        (("clrs", "bsf", "train"), r"unknown algorithm 'bsf'; did you mean 'bfs'\?"),
        (("clrs", "bfs", "trian"), r"unknown split of 'clrs' 'trian'; did you mean 'train'\? Known: train, val, test"),
        (
            ("l_clrs_len", "quicksort", "train"),
            "data set 'l_clrs_len' does not cover 'quicksort'; it covers: bellman_ford",
        ),
        (("bridges_two_communities", "bfs", "test"), "does not cover 'bfs'; it covers: bridges"),
        (
            ("bridges_two_communities", "bridges", "train"),
            "unknown split of 'bridges_two_communities' 'train'; Known: test",
        ),
    ],
)
def test_names_that_are_not_known(arguments, message):
    with pytest.raises(ValueError, match=message):
        data.load(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 1}, "bfs needs n from 2 to 32767, got n=1"),
        ({"n": 2.5}, "n must be an integer of at least 0, got 2.5"),
        ({"count": -1}, "count must be an integer of at least 0, got -1"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
        ({"graphs": "regulr:k=4"}, r"unknown graph family 'regulr'; did you mean 'regular'\?"),
        ({"graphs": "regular:kk=4"}, r"unknown option of regular 'kk'; did you mean 'k'\? Known: k"),
        ({"graphs": "regular:k=16"}, "k"),
        ({"n": 15, "graphs": "regular:k=3"}, "odd|even"),
        ({"graphs": "er:p=1.5"}, r"p must be a probability in \[0, 1\], got 1.5"),
        ({"graphs": "er:p=x"}, "p"),
        ({"n": 2, "graphs": "ring"}, "n"),
        ({"weights": (0, 1)}, "bfs does not take 'weights'; of graphs, weights and needle it takes: graphs"),
        ({"grahps": "er"}, r"unknown option 'grahps'; did you mean 'graphs'\?"),
    ],
)
def test_custom_options_that_can_not_be(options, message):
    with pytest.raises(ValueError, match=message) as error:
        data.custom("bfs", **{"n": 16, "count": 10, **options})
    assert "\n" not in str(error.value)


def test_graphs_for_an_algorithm_without_one():
    with pytest.raises(
        ValueError, match="quicksort does not take 'graphs'; of graphs, weights and needle it takes: none"
    ):
        data.custom("quicksort", n=8, count=1, graphs="er")
    assert (
        data.custom("quicksort", n=8, count=1, graphs=None).description
        == data.custom("quicksort", n=8, count=1).description
    )
    for weights in ((1, 0), (-1, 1), 3, (0, float("nan"))):
        with pytest.raises(ValueError, match="weights must be a range"):
            data.custom("mst_prim", n=8, count=1, weights=weights)
