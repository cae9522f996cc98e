"""Hybrids of two message passings with compiled kernels; see `narlab.kernels.hybrid_of_messages` for the formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from narlab.kernels import hybrid_of_messages as kernel
from narlab.kernels import message_passing, messages
from narlab.kernels.hybrid import Gate
from narlab.models.encoders import Features
from narlab.models.kernels import Sums, TrajectoryKernel, call
from narlab.models.kernels import message_passing as message_passing_kernel
from narlab.models.kernels.hybrid import OF_MESSAGES, FusedKernel, HybridKernel, NewGradients
from narlab.models.kernels.message_passing import NodeSteps
from narlab.models.topology import State, Topology

Weights = tuple[message_passing.Weights, message_passing.Weights, Gate]


@dataclass(frozen=True)
class Prepared:
    """The edges of both parts, and the weights of both and of the gate."""

    edges: tuple[messages.Edges, messages.Edges]
    weights: tuple[Tensor, ...]


class TwoMessagePassingsKernel(TrajectoryKernel, HybridKernel):
    """Two message passings, joined by a gate, all steps at once."""

    def __init__(self, fused: FusedKernel) -> None:
        super().__init__(fused.processor, fused.first, fused.second)
        self.gate = fused.gate

    def prepare(self, features: Features, topology: Topology) -> Prepared:
        first, second = HybridKernel.prepare(self, features, topology)
        return Prepared((first.edges, second.edges), (*first.weights, *second.weights, *self.gate(features.node)))

    def trajectory(self, state: State, prepared: Prepared, count: int, wanted: int) -> Tensor:
        steps = TwoMessagePassingsSteps(prepared.edges, count, wanted)
        return call(steps, state.h, *prepared.weights)[0]


class TwoMessagePassingsSteps(NodeSteps):
    """Those of a hybrid; `edges` are those of both parts."""

    code = kernel
    weights: Weights

    def weights_of(self, weights: Sequence[np.ndarray]) -> Weights:
        first, second = weights[:OF_MESSAGES], weights[OF_MESSAGES:-2]
        return message_passing.Weights(*first), message_passing.Weights(*second), Gate(*weights[-2:])

    def new_maps(self) -> Weights:
        first, second, gate = self.weights
        return message_passing_kernel.new_maps(first), message_passing_kernel.new_maps(second), gate

    def new_trace(self, size: tuple[int, ...]) -> kernel.Trace:
        first, second = (
            message_passing_kernel.new_trace(edges, self.steps, size, kept=self.keeps) for edges in self.edges
        )
        shape = (self.steps if self.keeps else 1, *size)
        return kernel.Trace(first, second, np.empty(shape, np.float32), np.empty(shape, np.float32))

    def new_back(self) -> tuple[message_passing.Back, message_passing.Back]:
        return message_passing_kernel.new_back(self.weights[0]), message_passing_kernel.new_back(self.weights[1])

    def new_gradients(self, states: int) -> NewGradients:
        first, second = (message_passing_kernel.NewGradients(part, states) for part in self.weights[:2])
        return NewGradients(first, second, Sums(self.weights[2], states))
