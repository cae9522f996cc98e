"""The paper's readout: linear maps of the features and the last two states, a maximum for pointers.

Node decoders see [node ; h(T-1) ; h(T)], edge decoders [edge ; e(T-1) ; e(T)], graph decoders the largest of what node
decoders see and the graph feature. A part that is zero is not computed.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from narlab.models.batch import Tensors
from narlab.models.encoders import EdgeFeatures, linear_of_parts, new_linear
from narlab.models.kernels import is_plain
from narlab.models.readouts import AbstractReadout, FinalState
from narlab.specs import Location, Probe, Type

MOST_NUMBERS = 2**25  # of pairs that are worked on at a time, where nothing has to be kept for a gradient


def _parts_of_rows(node: Tensor) -> list[slice]:
    """All rows of the pairs of nodes [B, N, 1, H], or of large graphs a few at a time.

    A program that is compiled or exported for graphs of any size can't tell large ones: it has all rows at once.
    """
    if torch.is_grad_enabled() or torch.compiler.is_compiling():
        return [slice(None)]
    graphs, nodes, _, hidden = node.shape
    size = max(1, MOST_NUMBERS // (graphs * nodes * hidden))
    return [slice(first, first + size) for first in range(0, nodes, size)]


class NodeDecoder(nn.Module):
    """z_i = W h_i."""

    def __init__(self, hidden: int, channels: int) -> None:
        super().__init__()
        self.of_node = new_linear(3 * hidden, channels)

    def forward(self, final: FinalState) -> Tensor:
        return _of_node(self.of_node, final)  # [B, N, C]


class NodePointerDecoder(nn.Module):
    """z_ij = w4 max(W1 h_i, W2 h_j + W3 e_ji)."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.of_node = new_linear(3 * hidden, hidden)
        self.of_target = new_linear(3 * hidden, hidden)
        self.of_edge = new_linear(3 * hidden, hidden)
        self.out = new_linear(hidden, 1)

    def forward(self, final: FinalState) -> Tensor:
        node = _of_node(self.of_node, final)[:, :, None]
        target = _of_node(self.of_target, final)[:, None]
        has_edge_state = final.before.e is not None or final.after.e is not None
        if final.kernels and not has_edge_state and _are_plain(self.of_edge, self.out):
            return self._compiled(node[:, :, 0], target[:, 0], final.features.edge)
        edge = final.reversed_edge()
        rows = []
        for part in _parts_of_rows(node):
            of_edge = linear_of_parts(self.of_edge, [None if each is None else each[:, part] for each in edge])
            both = _larger(node[:, part], target + of_edge, final)  # [B, rows, N, H]
            rows.append(self.out(both)[..., 0])
        return torch.cat(rows, 1) if len(rows) > 1 else rows[0]

    def _compiled(self, node: Tensor, target: Tensor, edge: EdgeFeatures) -> Tensor:
        from narlab.models.kernels.node_pointers import pointer_products

        of_raw, bias = _folded(self.of_edge, edge)
        return pointer_products(node, target + bias, edge.raw, of_raw.T, self.out.weight[0]) + self.out.bias


def _of_node(layer: nn.Linear, final: FinalState) -> Tensor:
    """`layer` of all parts of every node."""
    return final.features.of_nodes(layer, final.before.h, final.after.h)


def _larger(left: Tensor, right: Tensor, final: FinalState) -> Tensor:
    """The larger of two; with kernels, of two that are equal the right one has the whole gradient, as in the kernels.

    PyTorch divides it between them, which takes half of the time of a decoder.
    """
    return torch.where(left <= right, right, left) if final.kernels else torch.maximum(left, right)


def _are_plain(*layers: nn.Module) -> bool:
    return all(type(layer) is nn.Linear and is_plain(layer) for layer in layers)


def _folded(layer: nn.Linear, edge: EdgeFeatures) -> tuple[Tensor, Tensor]:
    """What `layer` makes of edge features, as a linear map of the few numbers that probes say: weight and bias."""
    of_features = layer.weight.chunk(3, 1)[0]
    return of_features @ edge.weight, of_features @ edge.bias + layer.bias


def _of_edge(layer: nn.Linear, final: FinalState) -> Tensor:
    """`layer` of all parts of every pair."""
    if not (final.kernels and _are_plain(layer)):
        return linear_of_parts(layer, final.edge)
    total = linear(final.features.edge.raw, *_folded(layer, final.features.edge))
    for state, weight in zip((final.before, final.after), layer.weight.chunk(3, 1)[1:], strict=True):
        total = total if state.e is None else total + linear(state.e, weight)
    return total


class EdgeDecoder(nn.Module):
    """z_ij = w1 h_i + w2 h_j + w3 e_ij."""

    def __init__(self, hidden: int, channels: int) -> None:
        super().__init__()
        self.of_first = new_linear(3 * hidden, channels)
        self.of_second = new_linear(3 * hidden, channels)
        self.of_edge = new_linear(3 * hidden, channels)

    def forward(self, final: FinalState) -> Tensor:
        first = _of_node(self.of_first, final)[:, :, None]
        second = _of_node(self.of_second, final)[:, None]
        return first + second + _of_edge(self.of_edge, final)  # [B, N, N, C]


class EdgePointerDecoder(nn.Module):
    """z_ijk = w5 max(W1 h_i + W2 h_j + W3 e_ij, W4 h_k); nothing N^3 H large is kept."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.of_first = new_linear(3 * hidden, hidden)
        self.of_second = new_linear(3 * hidden, hidden)
        self.of_edge = new_linear(3 * hidden, hidden)
        self.of_target = new_linear(3 * hidden, hidden)
        self.out = new_linear(hidden, 1)

    def forward(self, final: FinalState) -> Tensor:
        first = _of_node(self.of_first, final)[:, :, None]
        second = _of_node(self.of_second, final)[:, None]
        pair = first + second + _of_edge(self.of_edge, final)  # [B, N, N, H]
        target = _of_node(self.of_target, final)  # [B, N, H]
        if final.kernels and _are_plain(self.out):
            from narlab.models.kernels.pointers import larger_products  # few algorithms have pointers of edges

            return larger_products(pair, target, self.out.weight[0]) + self.out.bias  # [B, N, N, N]
        from narlab.models.loops import each

        def of_row(row: Tensor) -> Tensor:
            return self.out(torch.maximum(row[:, :, None], target[:, None]))[..., 0]

        return each(of_row, pair)  # [B, N, N, N]


class GraphDecoder(nn.Module):
    """z = W1 max_i h_i + W2 graph."""

    def __init__(self, hidden: int, channels: int) -> None:
        super().__init__()
        self.of_node = new_linear(3 * hidden, channels)
        self.of_graph = new_linear(hidden, channels)

    def forward(self, final: FinalState) -> Tensor:
        largest = [part.amax(1) for part in final.node]
        return linear_of_parts(self.of_node, largest) + self.of_graph(final.graph)  # [B, C]


def decoder(probe: Probe, hidden: int) -> nn.Module:
    """The decoder of a probe, by its location and type."""
    channels = max(probe.categories, 1)
    if probe.type is Type.POINTER:
        return {Location.NODE: NodePointerDecoder, Location.EDGE: EdgePointerDecoder}[probe.location](hidden)
    kinds = {Location.NODE: NodeDecoder, Location.EDGE: EdgeDecoder, Location.GRAPH: GraphDecoder}
    return kinds[probe.location](hidden, channels)


class Readout(AbstractReadout):
    """One decoder per probe, by its location and type; see their formulas above.

    See the CLRS benchmark (https://arxiv.org/abs/2205.15659) and the paper (https://arxiv.org/abs/2211.00692).

    >>> import narlab
    >>> model = narlab.models.build("floyd_warshall", hidden=8, depth=2, readout="paper")
    >>> batch = narlab.models.make_batch(narlab.data.custom("floyd_warshall", n=4, count=2))
    >>> model(batch).outputs["Pi"].shape  # a pointer of each edge: N choices for each of N x N pairs
    torch.Size([2, 4, 4, 4])
    """

    def __init__(self, probes: Sequence[Probe], hidden: int) -> None:
        super().__init__(probes, hidden)
        self.by_name = nn.ModuleDict({probe.name: decoder(probe, hidden) for probe in probes})

    def forward(self, final: FinalState) -> Tensors:
        logits = {probe.name: self.by_name[probe.name](final) for probe in self.probes}
        single = {probe.name for probe in self.probes if probe.type is not Type.POINTER and not probe.categories}
        return {name: value[..., 0] if name in single else value for name, value in logits.items()}
