"""The readout of pairs: pointers from the states of pairs, pointers of edges from those of triples.

X_ij holds the last state of the pair, or the states of its nodes where the processor has none of pairs, its edge
feature, and what the processor's last step says of it beside the state.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor, nn

from narlab.common import computed_once
from narlab.models.batch import Tensors
from narlab.models.kernels.both_ways import can_read_pairs, read_pairs
from narlab.models.kernels.triples import can_read_triples, read_triples
from narlab.models.loops import each
from narlab.models.processors import AbstractProcessor
from narlab.models.readouts import AbstractReadout, FinalState
from narlab.specs import Location, Probe, Type

SHARPNESS = 8.0  # logits are so many times the last map, which starts that much smaller: they get sharp sooner
SLOPE_WHEN_OFF = 0.1  # of a unit that is off, backward alone


@dataclass(frozen=True)
class Pairs:
    """X [B, N, N, width] in its parts: put beside each other only where someone wants them so."""

    parts: tuple[Tensor, ...]

    @computed_once
    def joined(self) -> Tensor:
        return torch.cat(self.parts, -1)


def last_map(fan_in: int, channels: int) -> nn.Linear:
    layer = nn.Linear(fan_in, channels)
    with torch.no_grad():
        layer.weight.div_(SHARPNESS)
        layer.bias.div_(SHARPNESS)
    return layer


class PairDecoder(nn.Module):
    """z_ij = O relu(U X_ij + V X_ji); backward, a unit that is off has the given slope.

    For pointers that is 0: a node's logits are compared with each other. A logit of an edge stands alone, and were all
    units of all edges off, which training can come to, nothing would be learned from then on.
    """

    def __init__(self, width: int, hidden: int, channels: int, *, slope_when_off: float) -> None:
        super().__init__()
        self.slope_when_off = slope_when_off
        self.of_pair = nn.Linear(2 * width, hidden)
        self.out = last_map(hidden, channels)

    def forward(self, pairs: Pairs, *, kernels: bool = False) -> Tensor:
        if kernels and can_read_pairs(self.of_pair, self.out):
            return read_pairs(pairs.parts, self.of_pair, self.out, slope_when_off=self.slope_when_off)
        x, (forth, back) = pairs.joined, self.of_pair.weight.chunk(2, 1)
        total = x @ forth.T + (x @ back.T).transpose(1, 2) + self.of_pair.bias
        return self.out(rectified(total, self.slope_when_off))  # [B, N, N, C]


def rectified(total: Tensor, slope_when_off: float) -> Tensor:
    """relu; backward, a unit that is off has the given slope."""
    if slope_when_off == 0 or not total.requires_grad:
        return total.relu()
    low = total.clamp_max(0)
    return total.relu() + slope_when_off * (low - low.detach())  # adds 0


class TripleDecoder(nn.Module):
    """z_ijk = o relu(U X_ij + V X_ik + W X_kj); nothing N^3 H large is kept by kernels, or without a gradient."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.of_pair = nn.Linear(width, hidden)
        self.of_first = nn.Linear(width, hidden, bias=False)
        self.of_second = nn.Linear(width, hidden, bias=False)
        self.out = last_map(hidden, 1)

    def forward(self, pairs: Pairs, *, kernels: bool = False) -> Tensor:
        layers = (self.of_pair, self.of_first, self.of_second, self.out)
        if kernels and can_read_triples(*layers):
            return read_triples(pairs.parts, *layers)
        x = pairs.joined
        pair, first, second = self.of_pair(x), self.of_first(x), self.of_second(x).transpose(1, 2)

        def of_row(ij: Tensor, ik: Tensor) -> Tensor:
            return self.out((ij[:, :, None] + ik[:, None] + second).relu())[..., 0]

        return each(of_row, pair, first)  # [B, N, N, N]


class NodeDecoder(nn.Module):
    """z_i = MLP [X_ii, max_j Y X_ij, max_j Y' X_ji]."""

    def __init__(self, width: int, hidden: int, channels: int) -> None:
        super().__init__()
        self.of_pair = nn.Linear(width, 2 * hidden)
        self.of_node = nn.Linear(width + 2 * hidden, hidden)
        self.out = last_map(hidden, channels)

    def forward(self, pairs: Pairs, *, kernels: bool = False) -> Tensor:
        x = pairs.joined
        row, column = self.of_pair(x).chunk(2, -1)
        own = x.diagonal(dim1=1, dim2=2).transpose(1, 2)  # [B, N, width]
        return self.out(self.of_node(torch.cat([own, row.amax(2), column.amax(1)], -1)).relu())  # [B, N, C]


class GraphDecoder(nn.Module):
    """z = MLP [max_ij Y X_ij, max_ij Y' X_ij]: one maximum of 2H numbers."""

    def __init__(self, width: int, hidden: int, channels: int) -> None:
        super().__init__()
        self.of_pair = nn.Linear(width, 2 * hidden)
        self.of_graph = nn.Linear(2 * hidden, hidden)
        self.out = last_map(hidden, channels)

    def forward(self, pairs: Pairs, *, kernels: bool = False) -> Tensor:
        return self.out(self.of_graph(self.of_pair(pairs.joined).amax((1, 2))).relu())  # [B, C]


def decoder(probe: Probe, width: int, hidden: int) -> nn.Module:
    """The decoder of a probe, by its location and type; a pointer of nodes is a number per pair."""
    channels = max(probe.categories, 1)
    if probe.type is Type.POINTER and probe.location is Location.EDGE:
        return TripleDecoder(width, hidden)
    if probe.type is Type.POINTER:
        return PairDecoder(width, hidden, channels, slope_when_off=0.0)
    if probe.location is Location.EDGE:
        return PairDecoder(width, hidden, channels, slope_when_off=SLOPE_WHEN_OFF)
    return {Location.NODE: NodeDecoder, Location.GRAPH: GraphDecoder}[probe.location](width, hidden, channels)


class Readout(AbstractReadout):
    """Logits are 8 times a decoder of X_ij = [e_ij, edge_ij, pairs_ij], or [h_i, h_j, edge_ij] without pair states.

    Pointers of nodes and edges' masks, numbers and categories: O relu(U X_ij + V X_ji). Pointers of edges to k:
    o relu(U X_ij + V X_ik + W X_kj). Nodes: MLP [X_ii, max_j Y X_ij, max_j Y' X_ji]. Graphs: MLP max_ij Y X_ij. The
    triples follow the idea of https://arxiv.org/abs/2112.00578, to update a pair by its triangles.

    >>> import narlab
    >>> model = narlab.models.build("floyd_warshall", hidden=8, depth=2, readout="pairs")
    >>> batch = narlab.models.make_batch(narlab.data.custom("floyd_warshall", n=4, count=2))
    >>> model(batch).outputs["Pi"].shape
    torch.Size([2, 4, 4, 4])
    """

    def __init__(
        self, probes: Sequence[Probe], hidden: int, *, has_pair_state: bool = False, pair_width: int = 0
    ) -> None:
        super().__init__(probes, hidden)
        self.has_pair_state, self.pair_width = has_pair_state, pair_width
        width = (2 if has_pair_state else 3) * hidden + pair_width
        self.by_name = nn.ModuleDict({probe.name: decoder(probe, width, hidden) for probe in probes})

    @classmethod
    def of(cls, probes: Sequence[Probe], hidden: int, processor: AbstractProcessor) -> Self:
        return cls(probes, hidden, has_pair_state=processor.has_pair_state, pair_width=processor.pair_width)

    def forward(self, final: FinalState) -> Tensors:
        if not self.probes:
            return {}
        pairs = self._pairs(final)
        logits = {
            probe.name: SHARPNESS * self.by_name[probe.name](pairs, kernels=final.kernels) for probe in self.probes
        }
        several = {probe.name for probe in self.probes if _has_channels(probe)}
        return {name: value if name in several else value[..., 0] for name, value in logits.items()}

    def _pairs(self, final: FinalState) -> Pairs:
        h = final.node[2]
        nodes = h.shape[1]
        feature, _, e = final.edge
        nothing = h.new_zeros(()).expand(h.shape[0], nodes, nodes, h.shape[-1])
        if self.has_pair_state:
            parts = [nothing if e is None else e]
        else:
            parts = [h[:, :, None].expand_as(nothing), h[:, None].expand_as(nothing)]
        parts.append(nothing if feature is None else feature)
        if self.pair_width:
            assert final.pairs is not None
            parts.append(final.pairs)
        return Pairs(tuple(parts))


def _has_channels(probe: Probe) -> bool:
    return bool(probe.categories) or (probe.type is Type.POINTER and probe.location is Location.EDGE)
