"""Linear maps with the paper's initial weights, the probes that a model is told, and their encoders.

The probes are random node features, the position encoding in place of `pos`, and the algorithm's other inputs; or, with
`relations`, the position encoding and one edge probe that stands for all other inputs. There is one encoder per probe;
they are summed into node, edge and graph features.

An edge feature is kept as what it is a linear map of, a few numbers per pair: whoever needs only some pairs, or another
linear map of them, need not make them all.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from narlab.algorithms.engine import Algorithm
from narlab.common import computed_once
from narlab.models.batch import RANDOM_FEATURES, Batch, Tensors
from narlab.models.positions import AbstractPosition
from narlab.specs import Location, Probe, Type

RANDOM_FEATURES_PROBE = Probe.input("random_features", Location.NODE, Type.CATEGORICAL, categories=RANDOM_FEATURES)


def new_linear(fan_in: int, fan_out: int, *, variance: float = 1.0) -> nn.Linear:
    """An affine map: truncated normal weights of standard deviation sqrt(variance / fan_in), cut at two; zero bias."""
    layer = nn.Linear(fan_in, fan_out)
    deviation = math.sqrt(variance / fan_in)
    nn.init.trunc_normal_(layer.weight, std=deviation, a=-2 * deviation, b=2 * deviation)
    nn.init.zeros_(layer.bias)
    return layer


def linear_of_parts(layer: nn.Linear, parts: Sequence[Tensor | None]) -> Tensor:
    """`layer` applied to the concatenation of equally wide `parts`, where `None` is a part of zeros.

    Nothing is concatenated, and a part of zeros costs nothing.
    """
    width = layer.in_features // len(parts)
    total: Tensor = layer.bias
    for k, part in enumerate(parts):
        if part is not None:
            total = total + linear(part, layer.weight[:, k * width : (k + 1) * width])
    return total


def input_probes(algorithm: Algorithm, position: AbstractPosition, *, relations: bool = False) -> tuple[Probe, ...]:
    """The probes that a model of `algorithm` encodes."""
    if relations:
        from narlab.models.relations import probe_of

        probe = probe_of(algorithm)
        return (position.probe,) if probe is None else (position.probe, probe)
    others = tuple(probe for probe in algorithm.inputs if probe.name != "pos")
    return (RANDOM_FEATURES_PROBE, position.probe, *others)


def input_values(
    batch: Batch, position: AbstractPosition, *, training: bool, related: Algorithm | None = None
) -> Tensors:
    """The values [B, ...] of those probes, by name; with `related`, the relations of that algorithm's inputs."""
    pos = position.values(batch, training)
    if related is not None:
        from narlab.models.relations import NAME, values_of

        return {position.probe.name: pos, NAME: values_of(related, batch.inputs)}
    return {**batch.inputs, position.probe.name: pos, RANDOM_FEATURES_PROBE.name: batch.random_features}


@dataclass(frozen=True)
class EdgeFeatures:
    """The linear map (weight [H, K], bias [H]) of K numbers per pair, `raw` [B, N, N, K]."""

    raw: Tensor
    weight: Tensor
    bias: Tensor

    @computed_once
    def everywhere(self) -> Tensor | None:
        """The features of all pairs [B, N, N, H]; `None`, which stands for zeros, if no probe has any."""
        return linear(self.raw, self.weight, self.bias) if self.raw.shape[-1] else None

    def reversed(self) -> "EdgeFeatures":
        """The features of pair (j, i) at (i, j)."""
        return replace(self, raw=self.raw.transpose(1, 2))

    def __add__(self, other: "EdgeFeatures") -> "EdgeFeatures":
        return EdgeFeatures(
            torch.cat([self.raw, other.raw], -1), torch.cat([self.weight, other.weight], 1), self.bias + other.bias
        )


@dataclass(frozen=True)
class ToldFeatures:
    """How node features of several steps' graphs are made: of `inputs` [B, N, H], the same at each step, and of the
    linear map (weight [H, K], bias [H]) of what hints say, `raw` [T B, N, K]."""

    inputs: Tensor
    raw: Tensor
    weight: Tensor
    bias: Tensor

    def mapped(self, weight: Tensor) -> Tensor:
        """`weight` [C, H] times the features, [T B, N, C]: a product for each step is one of a few numbers."""
        of_hints = linear(self.raw, weight @ self.weight, weight @ self.bias)
        return (of_hints.unflatten(0, (-1, len(self.inputs))) + linear(self.inputs, weight)).flatten(0, 1)


@dataclass(frozen=True)
class Features:
    """What the probes say: node [B, N, H], edge, graph [B, H]; `told` is another form of `node`, if there is one."""

    node: Tensor
    edge: EdgeFeatures
    graph: Tensor
    told: ToldFeatures | None = None

    def of_nodes(self, layer: nn.Linear, *states: Tensor | None) -> Tensor:
        """`layer` of node features and `states` [B, N, H] one behind the other, where `None` is a part of zeros."""
        if self.told is None:
            return linear_of_parts(layer, (self.node, *states))
        of_features = layer.weight[:, : self.node.shape[-1]]
        return linear_of_parts(layer, (None, *states)) + self.told.mapped(of_features)

    def __add__(self, other: "Features") -> "Features":
        return Features(self.node + other.node, self.edge + other.edge, self.graph + other.graph)

    def of_graphs(self, chosen: Tensor) -> "Features":
        """Those of some graphs of the batch."""
        return Features(self.node[chosen], replace(self.edge, raw=self.edge.raw[chosen]), self.graph[chosen])

    def repeated(self, times: int) -> "Features":
        """Those of all graphs so many times, one round after the other."""
        edge = replace(self.edge, raw=self.edge.raw.repeat(times, 1, 1, 1))
        return Features(self.node.repeat(times, 1, 1), edge, self.graph.repeat(times, 1))


def pair_inputs(features: Features) -> Tensor:
    """in_ij = edge_ij + node_i + node_j + graph, [B, N, N, H]."""
    total = features.node[:, :, None] + features.node[:, None] + features.graph[:, None, None]
    return total if features.edge.everywhere is None else total + features.edge.everywhere


class Encoders(nn.Module):
    """The encoders of some probes."""

    def __init__(self, probes: Sequence[Probe], hidden: int) -> None:
        super().__init__()
        self.probes = tuple(probes)
        self.hidden = hidden
        self.maps = nn.ModuleDict({probe.name: new_linear(max(probe.categories, 1), hidden) for probe in probes})
        second = [probe.name for probe in probes if _is_edge_pointer(probe)]
        self.second_maps = nn.ModuleDict({name: new_linear(1, hidden) for name in second})

    def forward(self, values: Tensors, size: tuple[int, int]) -> Features:
        """`values`: [B, ...] by probe name, of `size` (B, N); a pointer may be given by indices or in one-hot form."""
        graphs, nodes = size
        some = next(self.parameters())  # says on which device and in which precision
        node, graph = some.new_zeros(graphs, nodes, self.hidden), some.new_zeros(graphs, self.hidden)
        pairs: list[tuple[Tensor, nn.Linear]] = []
        for probe in self.probes:
            value, layer = values[probe.name], self.maps[probe.name]
            assert isinstance(layer, nn.Linear)
            if probe.type is Type.POINTER:
                pairs += self._pointer(probe, as_one_hot(value, nodes, probe).to(some.dtype), layer)
                continue
            value = _numbers(probe, value).to(some.dtype)
            if probe.location is Location.NODE:
                node = node + layer(value)
            elif probe.location is Location.GRAPH:
                graph = graph + layer(value)
            else:
                pairs.append((value, layer))
        return Features(node, self._edge(pairs, node), graph)

    def told(self, inputs: Tensor, values: Tensors, graphs: int) -> ToldFeatures:
        """How node features of several steps' graphs are made of `inputs` [B, N, H] and of values [T B, ...]."""
        probes = [probe for probe in self.probes if probe.location is Location.NODE and probe.type is not Type.POINTER]
        layers = [cast(nn.Linear, self.maps[probe.name]) for probe in probes]
        numbers = [_numbers(probe, values[probe.name]).to(inputs.dtype) for probe in probes]
        pairs = list(zip(numbers, layers, strict=True))
        return ToldFeatures(inputs, *_as_one(pairs, inputs, (graphs, inputs.shape[1])))

    def _pointer(self, probe: Probe, pointed: Tensor, layer: nn.Linear) -> list[tuple[Tensor, nn.Linear]]:
        """A pointer is a number per pair; the two means of an edge pointer are taken before their linear maps."""
        if probe.location is Location.NODE:
            return [(pointed[..., None], layer)]
        second = self.second_maps[probe.name]
        assert isinstance(second, nn.Linear)
        return [(pointed.mean(1)[..., None], layer), (pointed.mean(2)[..., None], second)]

    def _edge(self, pairs: list[tuple[Tensor, nn.Linear]], node: Tensor) -> EdgeFeatures:
        return EdgeFeatures(*_as_one(pairs, node, (*node.shape[:2], node.shape[1])))


def _numbers(probe: Probe, value: Tensor) -> Tensor:
    """What the encoder of a probe that is no pointer takes, [..., K]."""
    return value if probe.categories else value[..., None]


def _as_one(
    pairs: Sequence[tuple[Tensor, nn.Linear]], some: Tensor, shape: tuple[int, ...]
) -> tuple[Tensor, Tensor, Tensor]:
    """The sum of linear maps of values as one: values [*shape, K], weight [H, K] and bias [H], like `some` [..., H]."""
    if not pairs:
        hidden = some.shape[-1]
        return some.new_zeros(*shape, 0), some.new_zeros(hidden, 0), some.new_zeros(hidden)
    bias = torch.stack([layer.bias for _, layer in pairs]).sum(0)
    return torch.cat([value for value, _ in pairs], -1), torch.cat([layer.weight for _, layer in pairs], 1), bias


def as_one_hot(pointer: Tensor, nodes: int, probe: Probe) -> Tensor:
    """Where a pointer [..., N] points to, [..., N, N]."""
    if pointer.ndim == 1 + len(probe.shape(nodes)):
        return one_hot(pointer, nodes)
    return pointer


def one_hot(index: Tensor, classes: int) -> Tensor:
    """1 at each index, 0 elsewhere: [..., classes]; PyTorch's own can't be exported for any number of classes."""
    return (index[..., None] == torch.arange(classes, device=index.device)).float()


def adjacency(probes: Sequence[Probe], values: Tensors, nodes: int) -> Tensor | None:
    """The pairs that edge masks and node pointers among `probes` tell of, both ways, [B, N, N]; `None` if none do."""
    found = None
    for probe in probes:
        if probe.type is Type.POINTER and probe.location is Location.NODE:
            value = as_one_hot(values[probe.name], nodes, probe)
        elif probe.type is Type.MASK and probe.location is Location.EDGE:
            value = values[probe.name]
        else:
            continue
        both = value + value.transpose(1, 2) > 0
        found = both if found is None else found | both
    return found


def _is_edge_pointer(probe: Probe) -> bool:
    return probe.type is Type.POINTER and probe.location is Location.EDGE
