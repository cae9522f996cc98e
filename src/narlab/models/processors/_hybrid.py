"""Hybrids: two processors that see the same state, and a rule that joins what they make of it."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from narlab.models.encoders import Features
from narlab.models.processors._processor import AbstractProcessor, Facts, Memory
from narlab.models.state import State
from narlab.models.topology import Topology
from narlab.models.visible_pairs import VisiblePairs


@dataclass(frozen=True)
class Prepared:
    """What the two parts have prepared."""

    first: Any
    second: Any


class Hybrid(AbstractProcessor):
    """h'_i = s_i h1_i + (1 - s_i) h2_i and e'_ij = s_i e1_ij + (1 - s_i) e2_ij, where s is `share` of the state before.

    See the paper (https://arxiv.org/abs/2211.00692). A subclass has the rule `share`; with `kernel = HybridKernel` it
    uses the kernels of its parts. The width keeps the number of parameters near that of other processors.
    """

    default_width = 108
    batch_size = 16
    parts = ("mpnn_g", "two_wl")

    def __init__(self, hidden: int, first: AbstractProcessor, second: AbstractProcessor) -> None:
        super().__init__()
        self.first, self.second = first, second
        self.pairs, self.memory = _joined_pairs(first, second), _joined_memory(first, second)
        self.has_pair_state = first.has_pair_state or second.has_pair_state

    @classmethod
    def facts(cls, *parts: Facts) -> Facts:
        multiple = math.lcm(*(part.width_multiple for part in parts))
        return Facts(cls.default_width, cls.batch_size, _joined_pairs(*parts), _joined_memory(*parts), multiple)

    @abstractmethod
    def share(self, state: State) -> Tensor | float:
        """The share of the first part, one number or one for each node [B, N, 1]."""

    def prepare(self, features: Features, topology: Topology) -> Prepared:
        first, second = self.topologies(topology)
        return Prepared(self.first.prepare(features, first), self.second.prepare(features, second))

    def topologies(self, topology: Topology) -> tuple[Topology, Topology]:
        """Each part sees the pairs that it is made for."""
        return topology.graphs.topology(self.first.pairs), topology.graphs.topology(self.second.pairs)

    def step(self, state: State, prepared: Prepared) -> State:
        first, second = self.first.step(state, prepared.first), self.second.step(state, prepared.second)
        return self.join(state, first, second)

    def join(self, state: State, first: State, second: State) -> State:
        """The next state, of what both parts made of `state`."""
        share = self.share(state)
        of_edge = share[:, :, None] if isinstance(share, Tensor) else share  # the gate of an edge's first node
        return State(_mix(share, first.h, second.h), _mix_edges(of_edge, first.e, second.e))


def _joined_pairs(first: Facts | AbstractProcessor, second: Facts | AbstractProcessor) -> VisiblePairs:
    return first.pairs if first.pairs is second.pairs else VisiblePairs.GRAPH


def _joined_memory(first: Facts | AbstractProcessor, second: Facts | AbstractProcessor) -> Memory:
    return Memory.TRIPLES if Memory.TRIPLES in (first.memory, second.memory) else Memory.PAIRS


def _mix(share: Tensor | float, first: Tensor, second: Tensor) -> Tensor:
    return share * first + (1 - share) * second


def _mix_edges(share: Tensor | float, first: Tensor | None, second: Tensor | None) -> Tensor | None:
    if first is None and second is None:
        return None
    some = first if first is not None else second
    assert some is not None
    nothing = torch.zeros_like(some)
    return _mix(share, nothing if first is None else first, nothing if second is None else second)
