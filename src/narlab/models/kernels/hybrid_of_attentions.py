"""Hybrids of two attentions among edges with compiled kernels; see `narlab.kernels.hybrid_of_attentions`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from torch import Tensor

from narlab.kernels import hybrid_of_attentions as kernel
from narlab.kernels import pair_attention
from narlab.kernels.hybrid import Gate
from narlab.models.encoders import Features
from narlab.models.kernels import Sums
from narlab.models.kernels import pair_attention as pair_attention_kernel
from narlab.models.kernels.hybrid import FusedKernel, HybridKernel, HybridSteps, NewGradients, Prepared
from narlab.models.topology import State, Topology

OF_PAIRS = len(pair_attention.Weights._fields)
Weights = tuple[pair_attention.Weights, pair_attention.Weights, Gate]


class TwoAttentionsKernel(FusedKernel):
    """Two attentions among edges, joined by a gate, all steps at once where both see the same pairs of nodes."""

    def __init__(self, fused: FusedKernel) -> None:
        super().__init__(fused.processor, fused.first, fused.second)
        self.fused = fused

    def gate(self, node: Tensor) -> tuple[Tensor, Tensor]:
        return self.fused.gate(node)

    def prepare(self, features: Features, topology: Topology) -> Any:
        first, second = HybridKernel.prepare(self, features, topology)
        if first.index is not second.index:  # tokens of different topologies go step by step
            return first, second
        return Prepared(first, second, self.gate(features.node))

    def steps(self, state: State, prepared: Any, count: int) -> tuple[State, State]:
        kind = FusedKernel if isinstance(prepared, Prepared) else HybridKernel
        return kind.steps(self, state, prepared, count)

    def computation(self, prepared: Prepared, count: int) -> HybridSteps:
        return TwoAttentionsSteps(prepared.second.lines, count)


class TwoAttentionsSteps(HybridSteps):
    """Those of two attentions; `graphs` are the lines of both."""

    code = kernel
    weights: Weights

    def weights_of(self, weights: Sequence[np.ndarray]) -> Weights:
        first, second = weights[:OF_PAIRS], weights[OF_PAIRS:-2]
        return pair_attention.Weights(*first), pair_attention.Weights(*second), Gate(*weights[-2:])

    def new_maps(self) -> Weights:
        first, second, gate = self.weights
        return pair_attention_kernel.new_maps(first), pair_attention_kernel.new_maps(second), gate

    def new_trace(self, size: tuple[int, ...]) -> kernel.Trace:
        first, second = (pair_attention_kernel.new_trace(self.graphs, self.steps, size[-1]) for _ in range(2))
        shape = (self.steps, len(self.graphs.node), size[-1])
        return kernel.Trace(first, second, np.empty(shape, np.float32), np.empty(shape, np.float32))

    def trace_of_one(self, size: tuple[int, ...]) -> kernel.Trace:
        of_both = pair_attention_kernel.trace_of_one(self.graphs, size[-1])  # nothing is kept of the first
        shape = (1, int(np.diff(self.graphs.first).max()), size[-1])
        return kernel.Trace(of_both, of_both, np.empty(shape, np.float32), np.empty(shape, np.float32))

    def new_back(self) -> tuple[pair_attention.Back, pair_attention.Back]:
        return pair_attention_kernel.new_back(self.weights[0]), pair_attention_kernel.new_back(self.weights[1])

    def new_gradients(self, graphs: int) -> NewGradients:
        first, second = (pair_attention_kernel.NewGradients(part, graphs) for part in self.weights[:2])
        return NewGradients(first, second, Sums(self.weights[2], graphs))
