"""Decoders: logits of a probe from the features and the last two states.

Node readouts see [node ; h(T-1) ; h(T)], edge readouts [edge ; e(T-1) ; e(T)], graph readouts the largest node readout
and the graph feature. A part that is zero is not computed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from narlab.models.batch import Tensors
from narlab.models.encoders import Features
from narlab.models.fast.pointers import larger_products
from narlab.models.layers import linear_of_parts, new_linear
from narlab.models.state import State
from narlab.specs import Location, Probe, Type


@dataclass(frozen=True)
class Readout:
    """What decoders read: three parts of every node and every pair, and the graph; and whether kernels may read it."""

    node: tuple[Tensor, Tensor, Tensor]
    edge: tuple[Tensor | None, Tensor | None, Tensor | None]
    graph: Tensor
    kernels: bool = False

    @classmethod
    def of(cls, features: Features, before: State, after: State, *, kernels: bool = False) -> "Readout":
        edge = (features.edge.everywhere, before.e, after.e)
        return cls((features.node, before.h, after.h), edge, features.graph, kernels)

    def of_graphs(self, chosen: Tensor) -> "Readout":
        """The readout of some graphs of the batch."""
        node = (self.node[0][chosen], self.node[1][chosen], self.node[2][chosen])
        edge = (_of(self.edge[0], chosen), _of(self.edge[1], chosen), _of(self.edge[2], chosen))
        return Readout(node, edge, self.graph[chosen], self.kernels)

    def reversed_edge(self) -> tuple[Tensor | None, ...]:
        """The parts of pair (j, i) at (i, j)."""
        return tuple(None if part is None else part.transpose(1, 2) for part in self.edge)


def _of(part: Tensor | None, chosen: Tensor) -> Tensor | None:
    return None if part is None else part[chosen]


class NodeDecoder(nn.Module):
    """z_i = W h_i."""

    def __init__(self, hidden: int, channels: int) -> None:
        super().__init__()
        self.of_node = new_linear(3 * hidden, channels)

    def forward(self, read: Readout) -> Tensor:
        return linear_of_parts(self.of_node, read.node)  # [B, N, C]


class NodePointerDecoder(nn.Module):
    """z_ij = w4 max(W1 h_i, W2 h_j + W3 e_ji)."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.of_node = new_linear(3 * hidden, hidden)
        self.of_target = new_linear(3 * hidden, hidden)
        self.of_edge = new_linear(3 * hidden, hidden)
        self.out = new_linear(hidden, 1)

    def forward(self, read: Readout) -> Tensor:
        node = linear_of_parts(self.of_node, read.node)[:, :, None]
        target = linear_of_parts(self.of_target, read.node)[:, None]
        both = torch.maximum(node, target + linear_of_parts(self.of_edge, read.reversed_edge()))  # [B, N, N, H]
        return self.out(both)[..., 0]


class EdgeDecoder(nn.Module):
    """z_ij = w1 h_i + w2 h_j + w3 e_ij."""

    def __init__(self, hidden: int, channels: int) -> None:
        super().__init__()
        self.of_first = new_linear(3 * hidden, channels)
        self.of_second = new_linear(3 * hidden, channels)
        self.of_edge = new_linear(3 * hidden, channels)

    def forward(self, read: Readout) -> Tensor:
        first = linear_of_parts(self.of_first, read.node)[:, :, None]
        second = linear_of_parts(self.of_second, read.node)[:, None]
        return first + second + linear_of_parts(self.of_edge, read.edge)  # [B, N, N, C]


class EdgePointerDecoder(nn.Module):
    """z_ijk = w5 max(W1 h_i + W2 h_j + W3 e_ij, W4 h_k); nothing N^3 H large is kept."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.of_first = new_linear(3 * hidden, hidden)
        self.of_second = new_linear(3 * hidden, hidden)
        self.of_edge = new_linear(3 * hidden, hidden)
        self.of_target = new_linear(3 * hidden, hidden)
        self.out = new_linear(hidden, 1)

    def forward(self, read: Readout) -> Tensor:
        first = linear_of_parts(self.of_first, read.node)[:, :, None]
        second = linear_of_parts(self.of_second, read.node)[:, None]
        pair = first + second + linear_of_parts(self.of_edge, read.edge)  # [B, N, N, H]
        target = linear_of_parts(self.of_target, read.node)  # [B, N, H]
        if read.kernels:
            return larger_products(pair, target, self.out.weight[0]) + self.out.bias  # [B, N, N, N]
        rows = [self.out(torch.maximum(row[:, :, None], target[:, None]))[..., 0] for row in pair.unbind(1)]
        return torch.stack(rows, 1)  # [B, N, N, N]


class GraphDecoder(nn.Module):
    """z = W1 max_i h_i + W2 graph."""

    def __init__(self, hidden: int, channels: int) -> None:
        super().__init__()
        self.of_node = new_linear(3 * hidden, channels)
        self.of_graph = new_linear(hidden, channels)

    def forward(self, read: Readout) -> Tensor:
        largest = [part.amax(1) for part in read.node]
        return linear_of_parts(self.of_node, largest) + self.of_graph(read.graph)  # [B, C]


def decoder(probe: Probe, hidden: int) -> nn.Module:
    """The decoder of a probe, by its location and type."""
    channels = max(probe.categories, 1)
    if probe.type is Type.POINTER:
        return {Location.NODE: NodePointerDecoder, Location.EDGE: EdgePointerDecoder}[probe.location](hidden)
    kinds = {Location.NODE: NodeDecoder, Location.EDGE: EdgeDecoder, Location.GRAPH: GraphDecoder}
    return kinds[probe.location](hidden, channels)


class Decoders(nn.Module):
    """The decoders of some probes."""

    def __init__(self, probes: Sequence[Probe], hidden: int) -> None:
        super().__init__()
        self.probes = tuple(probes)
        self.by_name = nn.ModuleDict({probe.name: decoder(probe, hidden) for probe in probes})

    def forward(self, read: Readout) -> Tensors:
        """Logits [B, ...] by probe name, in the shape of the probe's values; a pointer's have N choices behind."""
        logits = {probe.name: self.by_name[probe.name](read) for probe in self.probes}
        single = {probe.name for probe in self.probes if probe.type is not Type.POINTER and not probe.categories}
        return {name: value[..., 0] if name in single else value for name, value in logits.items()}


def harden(probe: Probe, logits: Tensor) -> Tensor:
    """The values that logits stand for: those of the probe itself."""
    if probe.type is Type.MASK:
        return (logits > 0).float()
    if probe.type is Type.POINTER:
        return logits.argmax(-1)
    if probe.type in (Type.MASK_ONE, Type.CATEGORICAL):
        return one_hot(logits.argmax(-1), logits.shape[-1]).float()
    return logits
