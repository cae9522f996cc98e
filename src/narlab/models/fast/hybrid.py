"""Hybrids with compiled kernels: of message passing and attention among edges all at once, of others by steps."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from narlab.kernels import hybrid as kernel
from narlab.kernels import message_passing, pair_attention
from narlab.models.encoders import Features
from narlab.models.fast import message_passing as fast_messages
from narlab.models.fast import pair_attention as fast_pairs
from narlab.models.fast.kernel import AbstractKernel, kernel_as_declared
from narlab.models.fast.message_passing import MessagePassingKernel
from narlab.models.fast.pair_attention import PairAttentionKernel
from narlab.models.fast.rollout import Sums, array, arrays, in_groups, keeps, last_two, states
from narlab.models.state import State
from narlab.models.topology import Topology

if TYPE_CHECKING:
    from narlab.models.hybrid import Hybrid

OF_MESSAGES = len(message_passing.Weights._fields)


@dataclass(frozen=True)
class Prepared:
    """What the two parts have prepared, and the gate's map."""

    first: fast_messages.Prepared
    second: fast_pairs.Prepared
    gate: tuple[Tensor, Tensor]  # [H] and [1]


class HybridKernel(AbstractKernel):
    """The kernels of both parts, one step of each at a time; the hybrid's own rule joins them, whatever it is."""

    def __init__(self, processor: Hybrid, first: AbstractKernel, second: AbstractKernel) -> None:
        super().__init__(processor)
        self.first, self.second = first, second

    @classmethod
    def of(cls, processor: Hybrid) -> HybridKernel | None:
        first, second = kernel_as_declared(processor.first), kernel_as_declared(processor.second)
        return None if first is None or second is None else cls.of_parts(processor, first, second)

    @classmethod
    def of_parts(cls, processor: Hybrid, first: AbstractKernel, second: AbstractKernel) -> HybridKernel:
        return cls(processor, first, second)

    def prepare(self, features: Features, topology: Topology) -> Any:
        first, second = self.processor.topologies(topology)
        return self.first.prepare(features, first), self.second.prepare(features, second)

    def steps(self, state: State, prepared: Any, count: int) -> tuple[State, State]:
        before = state
        for _ in range(count):
            before = state
            _, first = self.first.steps(state, prepared[0], 1)
            _, second = self.second.steps(state, prepared[1], 1)
            state = self.processor.join(state, first, second)
        return before, state


class FusedKernel(HybridKernel):
    """Message passing and attention among edges, joined by a gate, all steps at once; other parts go step by step."""

    @classmethod
    def of_parts(cls, processor: Hybrid, first: AbstractKernel, second: AbstractKernel) -> HybridKernel:
        fuses = type(first) is MessagePassingKernel and type(second) is PairAttentionKernel
        kind = cls if fuses and cls.knows_layers_of(processor) else HybridKernel
        return kind(processor, first, second)

    @abstractmethod
    def gate(self, node: Tensor) -> tuple[Tensor, Tensor]:
        """The map w [H], b [1] of the first part's share, sigmoid(w h_i + b)."""

    def prepare(self, features: Features, topology: Topology) -> Prepared:
        first, second = super().prepare(features, topology)
        return Prepared(first, second, self.gate(features.node))

    def steps(self, state: State, prepared: Prepared, count: int) -> tuple[State, State]:
        first, second = prepared.first, prepared.second
        e = second.of_tokens(state.e)
        weights = (*first.weights, *second.weights, *prepared.gate)
        graphs = (first.edges, second.lines)
        h0, h1, e0, e1 = Steps.apply(graphs, count, keeps(state.h, e, *weights), state.h, e, *weights)
        before, after = (State(h, second.of_pairs(tokens).e) for h, tokens in ((h0, e0), (h1, e1)))
        return state if count == 1 else before, after


class AverageKernel(FusedKernel):
    """The kernel of `hybrid_average`: a gate with a map of zeros gives each part one half."""

    layers: ClassVar = {}

    def gate(self, node: Tensor) -> tuple[Tensor, Tensor]:
        return node.new_zeros(node.shape[-1]), node.new_zeros(1)


class GatedKernel(FusedKernel):
    """The kernel of `hybrid_sigmoid`."""

    layers: ClassVar = {"gate": nn.Linear}

    def gate(self, node: Tensor) -> tuple[Tensor, Tensor]:
        return self.processor.gate.weight[0], self.processor.gate.bias


class Steps(torch.autograd.Function):
    """The last two states h [B, N, H] and the last two edge states e [E, H] after `steps` steps."""

    @staticmethod
    def forward(ctx: Any, graphs: Any, steps: int, kept: bool, *tensors: Tensor) -> tuple[Tensor, ...]:
        h, e, weights = tensors[0], tensors[1], tensors[2:]
        maps = (
            arrays(message_passing.Weights, weights[:OF_MESSAGES]),
            arrays(pair_attention.Weights, weights[OF_MESSAGES:-2]),
            arrays(kernel.Gate, weights[-2:]),
        )
        rooms = (states(steps, h, kept=kept), states(steps, e, kept=kept))
        trace = _trace(graphs, steps, h) if kept else None

        def work(g: int, group: tuple[int, int]) -> None:
            kernel.forward(graphs, maps, trace or _trace_of_one(graphs, h), rooms, steps, group)

        in_groups(work, len(h))
        ctx.kept = graphs, maps, trace, rooms
        return (*last_two(rooms[0], steps), *last_two(rooms[1], steps))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        graphs, maps, trace, rooms = ctx.kept
        d_last = tuple(np.stack([array(d) for d in pair]) for pair in (gradients[:2], gradients[2:]))
        backs = (fast_messages.new_back(maps[0]), fast_pairs.new_back(maps[1]))
        count = len(maps[0].nodes)
        of_messages, of_pairs = fast_messages.NewGradients(maps[0]), fast_pairs.NewGradients(maps[1], count)
        of_gate = Sums(maps[2], count)

        def work(g: int, group: tuple[int, int]) -> None:
            sums = (of_messages.of_group(g), of_pairs.of_group(g), kernel.Gate(*of_gate.of_group(g)))
            kernel.backward(graphs, maps, backs, trace, rooms, d_last, sums, group)

        in_groups(work, count)
        found = (d_last[0][1], d_last[1][1], *of_messages.total(), *of_pairs.total(), *of_gate.total())
        return None, None, None, *map(torch.from_numpy, found)


def _trace(graphs: Any, steps: int, h: Tensor) -> kernel.Trace:
    edges, lines = graphs
    hidden = h.shape[-1]
    return kernel.Trace(
        fast_messages.new_trace(edges, steps, h, kept=True),
        fast_pairs.new_trace(lines, steps, hidden),
        np.empty((steps, *h.shape), np.float32),
        np.empty((steps, len(lines.node), hidden), np.float32),
    )


def _trace_of_one(graphs: Any, h: Tensor) -> kernel.Trace:
    edges, lines = graphs
    hidden = h.shape[-1]
    return kernel.Trace(
        fast_messages.new_trace(edges, 1, h, kept=False),
        fast_pairs.trace_of_one(lines, hidden),
        np.empty((1, 1, *h.shape[1:]), np.float32),
        np.empty((1, int(np.diff(lines.first).max()), hidden), np.float32),
    )
