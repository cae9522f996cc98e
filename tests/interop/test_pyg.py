"""Data sets of PyTorch Geometric hold the samples of narlab, edge by edge, alone and in batches."""

import sys
from importlib import import_module

import numpy as np
import pytest
import torch

import narlab
from narlab.specs import Location, Stage, Type

quiet = pytest.mark.filterwarnings("ignore")  # its own libraries warn


@pytest.fixture(scope="module")
def pyg():
    pytest.importorskip("torch_geometric", reason="PyTorch Geometric is not installed: pip install 'narlab[pyg]'")
    return import_module("narlab.interop.pyg")


@quiet
def test_edges_are_the_graph(pyg):
    dataset = narlab.data.custom("bellman_ford", n=7, count=5, graphs="er:p=0.4", hints=True)
    graphs = pyg.Dataset(dataset)
    assert len(graphs) == 5
    for k, graph in enumerate(graphs):
        dense = torch.zeros(7, 7)
        dense[graph.edge_index[0], graph.edge_index[1]] = graph.input_A
        np.testing.assert_array_equal(dense, dataset.inputs["A"][k].astype(np.float32))
        assert graph.edge_index.shape[1] == dataset.inputs["adj"][k].sum() < 49
        assert graph.x.shape == (7, 2)
        assert graph.edge_attr.shape == (graph.num_edges, 2)
        assert graph.validate()
        np.testing.assert_array_equal(graph.hint_pi_h.T, dataset.hints["pi_h"][k])
        assert graph.length.item() == dataset.lengths[k]


@quiet
@pytest.mark.parametrize("name", ["bfs", "bridges", "floyd_warshall", "lcs_length", "minimum", "binary_search"])
def test_every_algorithm_makes_batches(pyg, name):
    from torch_geometric.loader import DataLoader

    dataset = narlab.data.custom(name, n=6, count=3, hints=True)
    nodes = dataset.inputs["pos"].shape[1]
    batch = next(iter(DataLoader(pyg.Dataset(dataset), batch_size=3)))
    assert batch.num_nodes == 3 * nodes
    for probe in narlab.algorithms.get(name).probes:
        value = batch[f"{probe.stage}_{probe.name}"]
        stage = {Stage.INPUT: dataset.inputs, Stage.OUTPUT: dataset.outputs, Stage.HINT: dataset.hints}[probe.stage]
        expected = stage[probe.name].astype(np.float32 if probe.type is not Type.POINTER else np.int64)
        if probe.stage is Stage.HINT:
            expected = np.moveaxis(expected, 1, {Location.NODE: 2, Location.EDGE: 3, Location.GRAPH: 1}[probe.location])
        if probe.type is Type.POINTER:
            expected = expected + (nodes * np.arange(3)).reshape(-1, *[1] * (expected.ndim - 1))
        if probe.location is Location.EDGE and probe.stage is Stage.INPUT:
            index, graph = batch.edge_index.numpy() % nodes, batch.edge_index[0].numpy() // nodes
            expected = expected[graph, index[0], index[1]]
        elif probe.location is not Location.GRAPH:
            expected = expected.reshape(-1, *expected.shape[2 if probe.location is Location.NODE else 3 :])
        np.testing.assert_array_equal(value, expected, err_msg=probe.name)


@quiet
def test_hints_are_optional(pyg):
    graph = pyg.Dataset(narlab.data.custom("floyd_warshall", n=5, count=2))[1]
    assert not [key for key in graph.keys() if key.startswith("hint_")]  # noqa: SIM118 (no mapping)
    assert graph.pair_index.shape == (2, 25)
    assert graph.output_Pi.shape == (25,)


def test_without_pyg_the_import_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch_geometric.data", None)
    monkeypatch.delitem(sys.modules, "narlab.interop.pyg", raising=False)
    with pytest.raises(ImportError, match=r"pip install 'narlab\[pyg\]'"):
        import_module("narlab.interop.pyg")
