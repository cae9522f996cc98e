"""Data sets for PyTorch Geometric: every sample a graph with sparse edges, in any of its loaders and models.

An `Instance` has, in the form of PyTorch Geometric,

- `edge_index` [2, E]: the task's graph with its self-loops, or all pairs of nodes where the task has no graph;
- `x` [N, F] and `edge_attr` [E, F']: all inputs of nodes and of edges side by side, pointers left out;
- every input, output and (where the data set has them) hint by itself: `input_s`, `output_pi`, `hint_pi_h`, ...;
- `length` [1]: the number of rows of hints.

Inputs of edges go along `edge_index`. Outputs and hints of edges belong to all pairs of nodes, and go along
`pair_index` [2, N * N]. Hints have the time behind: [N, T, ...]. Values of graphs are [1, ...]. Pointers are int64 and,
like an `edge_index`, count on in a batch of graphs; all else is float32.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from narlab import algorithms, data
from narlab.algorithms.engine import Algorithm
from narlab.specs import Location, Probe, Stage, Type

try:
    import torch_geometric.data as geometric
except ImportError:
    raise ImportError("narlab.interop.pyg needs PyTorch Geometric; get it with: pip install 'narlab[pyg]'") from None

__all__ = ["Dataset", "Instance"]

EDGES, PAIRS = "edge_index", "pair_index"


class Instance(geometric.Data):
    """One sample of an algorithm; see the module."""

    def __inc__(self, key: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        if key in (EDGES, PAIRS) or key in _pointers(algorithms.get(self.algorithm)):
            return self.num_nodes
        return 0

    def __cat_dim__(self, key: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        return 1 if key in (EDGES, PAIRS) else 0


class Dataset(geometric.Dataset):
    """The samples of a data set of narlab as `Instance`s; hints are among them if it was loaded with hints.

    All of them are made when the first one is looked at: take a slice of a large data set.
    """

    def __init__(self, dataset: data.Dataset) -> None:
        super().__init__()
        self.dataset = dataset
        self.algorithm = algorithms.get(dataset.algorithm)

    def len(self) -> int:
        return len(self.dataset)

    def get(self, idx: int) -> Instance:
        stages = {Stage.INPUT: self.dataset.inputs, Stage.OUTPUT: self.dataset.outputs}
        if self.dataset.has_hints:
            stages[Stage.HINT] = self.dataset.hints
        probes = [probe for probe in self.algorithm.probes if probe.stage in stages]
        values = {probe: _tensor(probe, stages[probe.stage][probe.name][idx]) for probe in probes}
        return _instance(self.algorithm, values, int(self.dataset.lengths[idx]))


def _key(probe: Probe) -> str:
    return f"{probe.stage}_{probe.name}"


def _pointers(algorithm: Algorithm) -> set[str]:
    return {_key(probe) for probe in algorithm.probes if probe.type is Type.POINTER}


def _tensor(probe: Probe, array: np.ndarray) -> Tensor:
    """A value [N, ...], [N, N, ...] or [...], of a hint with the time behind the nodes."""
    tensor = torch.from_numpy(np.asarray(array, np.int64 if probe.type is Type.POINTER else np.float32))
    if probe.stage is not Stage.HINT:
        return tensor
    return tensor.movedim(0, {Location.NODE: 1, Location.EDGE: 2, Location.GRAPH: 0}[probe.location])


def _instance(algorithm: Algorithm, values: dict[Probe, Tensor], length: int) -> Instance:
    by_name = {probe.name: value for probe, value in values.items() if probe.stage is Stage.INPUT}
    nodes = len(by_name["pos"])
    pairs = torch.ones(nodes, nodes).nonzero().T  # [2, N * N]
    edges = by_name["adj"].nonzero().T if algorithm.has_graph else pairs
    found = {EDGES: edges, "num_nodes": nodes, "algorithm": algorithm.name, "length": torch.tensor([length])}
    for probe, value in values.items():
        if probe.location is Location.EDGE and probe.stage is not Stage.INPUT:
            found[PAIRS] = pairs
        found[_key(probe)] = _along(probe, value, edges)
    found["x"] = _side_by_side(found, algorithm, Location.NODE, nodes)
    found["edge_attr"] = _side_by_side(found, algorithm, Location.EDGE, edges.shape[1])
    return Instance(**found)


def _along(probe: Probe, value: Tensor, edges: Tensor) -> Tensor:
    """The value as rows of nodes, of edges, of all pairs or of the graph."""
    if probe.location is Location.NODE:
        return value
    if probe.location is Location.GRAPH:
        return value[None]
    return value[edges[0], edges[1]] if probe.stage is Stage.INPUT else value.flatten(0, 1)


def _side_by_side(found: dict[str, Any], algorithm: Algorithm, location: Location, rows: int) -> Tensor:
    """All inputs of a location but pointers, [rows, F]."""
    chosen = [probe for probe in algorithm.inputs if probe.location is location and probe.type is not Type.POINTER]
    return torch.cat([torch.zeros(rows, 0), *(found[_key(probe)].view(rows, -1) for probe in chosen)], 1)
