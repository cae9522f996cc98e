"""Linear maps with the paper's initial weights, and encoders: one per probe, summed into node, edge, graph features.

An edge feature is kept as what it is a linear map of, a few numbers per pair: whoever needs only some pairs, or another
linear map of them, need not make them all.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, one_hot

from narlab.models.batch import Tensors
from narlab.specs import Location, Probe, Type


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


@dataclass(frozen=True)
class EdgeFeatures:
    """The linear map (weight [H, K], bias [H]) of K numbers per pair, `raw` [B, N, N, K]."""

    raw: Tensor
    weight: Tensor
    bias: Tensor

    @cached_property
    def everywhere(self) -> Tensor | None:
        """The features of all pairs [B, N, N, H]; `None`, which stands for zeros, if no probe has any."""
        return linear(self.raw, self.weight, self.bias) if self.raw.shape[-1] else None

    def reversed(self) -> "EdgeFeatures":
        """The features of pair (j, i) at (i, j)."""
        return EdgeFeatures(self.raw.transpose(1, 2), self.weight, self.bias)

    def __add__(self, other: "EdgeFeatures") -> "EdgeFeatures":
        return EdgeFeatures(
            torch.cat([self.raw, other.raw], -1), torch.cat([self.weight, other.weight], 1), self.bias + other.bias
        )


@dataclass(frozen=True)
class Features:
    """What the probes say: node [B, N, H], edge, graph [B, H]."""

    node: Tensor
    edge: EdgeFeatures
    graph: Tensor

    def __add__(self, other: "Features") -> "Features":
        return Features(self.node + other.node, self.edge + other.edge, self.graph + other.graph)


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
            value = (value if probe.categories else value[..., None]).to(some.dtype)
            if probe.location is Location.NODE:
                node = node + layer(value)
            elif probe.location is Location.GRAPH:
                graph = graph + layer(value)
            else:
                pairs.append((value, layer))
        return Features(node, self._edge(pairs, node), graph)

    def _pointer(self, probe: Probe, pointed: Tensor, layer: nn.Linear) -> list[tuple[Tensor, nn.Linear]]:
        """A pointer is a number per pair; the two means of an edge pointer are taken before their linear maps."""
        if probe.location is Location.NODE:
            return [(pointed[..., None], layer)]
        second = self.second_maps[probe.name]
        assert isinstance(second, nn.Linear)
        return [(pointed.mean(1)[..., None], layer), (pointed.mean(2)[..., None], second)]

    def _edge(self, pairs: list[tuple[Tensor, nn.Linear]], node: Tensor) -> EdgeFeatures:
        graphs, nodes, hidden = node.shape
        if not pairs:
            nothing = node.new_zeros(graphs, nodes, nodes, 0)
            return EdgeFeatures(nothing, node.new_zeros(hidden, 0), node.new_zeros(hidden))
        bias = torch.stack([layer.bias for _, layer in pairs]).sum(0)
        return EdgeFeatures(
            torch.cat([value for value, _ in pairs], -1), torch.cat([layer.weight for _, layer in pairs], 1), bias
        )


def as_one_hot(pointer: Tensor, nodes: int, probe: Probe) -> Tensor:
    """Where a pointer [..., N] points to, [..., N, N]."""
    if pointer.ndim == 1 + len(probe.shape(nodes)):
        return one_hot(pointer.long(), nodes).float()
    return pointer


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
