"""Hybrids with compiled kernels: of message passing and attention among edges all at once, of others by steps.

Those of two parts of a kind that are one kernel, too, are in `hybrid_of_messages` and `hybrid_of_attentions`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from torch import Tensor, nn

from narlab.kernels import hybrid as kernel
from narlab.kernels import message_passing, pair_attention
from narlab.models.encoders import Features
from narlab.models.kernels import (
    AbstractKernel,
    Arrays,
    Computation,
    Sums,
    call,
    in_groups,
    kernel_as_declared,
    last_two,
    new_states,
)
from narlab.models.kernels import message_passing as message_passing_kernel
from narlab.models.kernels import pair_attention as pair_attention_kernel
from narlab.models.kernels.message_passing import MessagePassingKernel
from narlab.models.kernels.pair_attention import PairAttentionKernel
from narlab.models.topology import State, Topology

if TYPE_CHECKING:
    from narlab.models.processors._hybrid import Hybrid

OF_MESSAGES = len(message_passing.Weights._fields)
OfPart = message_passing_kernel.NewGradients | pair_attention_kernel.NewGradients


@dataclass(frozen=True)
class Prepared:
    """What the two parts have prepared, and the gate's map."""

    first: message_passing_kernel.Prepared | pair_attention_kernel.Prepared
    second: pair_attention_kernel.Prepared
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
    """Message passing and attention among edges, joined by a gate, all steps at once.

    Two parts of a kind have kernels of their own; other parts go step by step.
    """

    @classmethod
    def of_parts(cls, processor: Hybrid, first: AbstractKernel, second: AbstractKernel) -> HybridKernel:
        kinds = (type(first), type(second)) if cls.knows_layers_of(processor) else ()
        if kinds == (MessagePassingKernel, MessagePassingKernel):
            from narlab.models.kernels.hybrid_of_messages import TwoMessagePassingsKernel

            return TwoMessagePassingsKernel(cls(processor, first, second))
        if kinds == (PairAttentionKernel, PairAttentionKernel):
            from narlab.models.kernels.hybrid_of_attentions import TwoAttentionsKernel

            return TwoAttentionsKernel(cls(processor, first, second))
        kind = cls if kinds == (MessagePassingKernel, PairAttentionKernel) else HybridKernel
        return kind(processor, first, second)

    @abstractmethod
    def gate(self, node: Tensor) -> tuple[Tensor, Tensor]:
        """The map w [H], b [1] of the first part's share, sigmoid(w h_i + b)."""

    def prepare(self, features: Features, topology: Topology) -> Prepared:
        first, second = super().prepare(features, topology)
        return Prepared(first, second, self.gate(features.node))

    def computation(self, prepared: Any, count: int) -> HybridSteps:
        return MixedSteps((prepared.first.edges, prepared.second.lines), count)

    def steps(self, state: State, prepared: Any, count: int) -> tuple[State, State]:
        first, second = prepared.first, prepared.second
        e = second.of_tokens(state.e)
        weights = (*first.weights, *second.weights, *prepared.gate)
        h0, h1, e0, e1 = call(self.computation(prepared, count), state.h, e, *weights)
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


class HybridSteps(Computation):
    """The last two h [B, N, H] and the last two e [E, H] after `steps` steps from h and e.

    The weights are those of both parts and the gate, in this order.
    """

    code: ModuleType
    """The kernel: `forward` and `backward`."""

    def __init__(self, graphs: Any, steps: int) -> None:
        self.graphs, self.steps = graphs, steps

    @abstractmethod
    def weights_of(self, weights: Sequence[np.ndarray]) -> Any:
        """The weights of both parts and the gate as records."""

    @abstractmethod
    def new_maps(self) -> Any:
        """The same in the kernel's form."""

    @abstractmethod
    def new_trace(self, size: tuple[int, ...]) -> Any:
        """Arrays for what the way back needs of all steps of all graphs, whose states have `size` (B, N, H)."""

    @abstractmethod
    def trace_of_one(self, size: tuple[int, ...]) -> Any:
        """Arrays for one step of one graph, whichever it is."""

    @abstractmethod
    def new_back(self) -> Any:
        """The maps of the way back, of both parts."""

    @abstractmethod
    def new_gradients(self, graphs: int) -> NewGradients:
        """Gradients of the weights, by groups of so many graphs."""

    def forward(self, *inputs: np.ndarray) -> Arrays:
        h, e, *weights = inputs
        self.weights = self.weights_of(weights)
        self.maps = self.new_maps()
        self.states = (new_states(self.steps, h, kept=self.keeps), new_states(self.steps, e, kept=self.keeps))
        self.trace = self.new_trace(h.shape) if self.keeps else None

        def work(g: int, group: tuple[int, int]) -> None:
            trace = self.trace or self.trace_of_one(h.shape)
            self.code.forward(self.graphs, self.maps, trace, self.states, self.steps, group)

        in_groups(work, len(h))
        return [*last_two(self.states[0], self.steps), *last_two(self.states[1], self.steps)]

    def backward(self, *gradients: np.ndarray) -> Arrays:
        d_last = (np.stack(gradients[:2]), np.stack(gradients[2:]))
        graphs = d_last[0].shape[1]
        backs, of_maps = self.new_back(), self.new_gradients(graphs)

        def work(g: int, group: tuple[int, int]) -> None:
            sums = of_maps.of_group(g)
            self.code.backward(self.graphs, self.maps, backs, self.trace, self.states, d_last, sums, group)

        in_groups(work, graphs)
        return [d_last[0][1], d_last[1][1], *of_maps.total()]


class MixedSteps(HybridSteps):
    """Those of message passing and attention among edges; `graphs` are the edges of one and the lines of the other."""

    code = kernel
    weights: tuple[message_passing.Weights, pair_attention.Weights, kernel.Gate]

    def weights_of(self, weights: Sequence[np.ndarray]) -> Any:
        first, second = weights[:OF_MESSAGES], weights[OF_MESSAGES:-2]
        return message_passing.Weights(*first), pair_attention.Weights(*second), kernel.Gate(*weights[-2:])

    def new_maps(self) -> Any:
        first, second, gate = self.weights
        return message_passing_kernel.new_maps(first), pair_attention_kernel.new_maps(second), gate

    def new_trace(self, size: tuple[int, ...]) -> kernel.Trace:
        edges, lines = self.graphs
        return kernel.Trace(
            message_passing_kernel.new_trace(edges, self.steps, size, kept=True),
            pair_attention_kernel.new_trace(lines, self.steps, size[-1]),
            np.empty((self.steps, *size), np.float32),
            np.empty((self.steps, len(lines.node), size[-1]), np.float32),
        )

    def trace_of_one(self, size: tuple[int, ...]) -> kernel.Trace:
        edges, lines = self.graphs
        return kernel.Trace(
            message_passing_kernel.new_trace(edges, 1, size, kept=False),
            pair_attention_kernel.trace_of_one(lines, size[-1]),
            np.empty((1, 1, *size[1:]), np.float32),
            np.empty((1, int(np.diff(lines.first).max()), size[-1]), np.float32),
        )

    def new_back(self) -> tuple[message_passing.Back, pair_attention.Back]:
        return message_passing_kernel.new_back(self.weights[0]), pair_attention_kernel.new_back(self.weights[1])

    def new_gradients(self, graphs: int) -> NewGradients:
        first, second, gate = self.weights
        of_messages = message_passing_kernel.NewGradients(first, graphs)
        return NewGradients(of_messages, pair_attention_kernel.NewGradients(second, graphs), Sums(gate, graphs))


class NewGradients:
    """Gradients of the weights of both parts and of the gate, by groups of graphs."""

    def __init__(self, first: OfPart, second: OfPart, gate: Sums) -> None:
        self.first, self.second, self.gate = first, second, gate

    def of_group(self, g: int) -> tuple[Any, Any, kernel.Gate]:
        return self.first.of_group(g), self.second.of_group(g), kernel.Gate(*self.gate.of_group(g))

    def total(self) -> list[np.ndarray]:
        """In the order of the weights."""
        return [*self.first.total(), *self.second.total(), *self.gate.total()]
