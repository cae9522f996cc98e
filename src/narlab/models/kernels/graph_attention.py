"""Attention along edges (GAT) with compiled kernels; see `narlab.kernels.graph_attention` for the formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from narlab.kernels import graph_attention as kernel
from narlab.models.encoders import Features
from narlab.models.kernels import Sums, TrajectoryKernel, call, transposed
from narlab.models.kernels.message_passing import NodeSteps, Prepared, edges_of
from narlab.models.topology import State, Topology

if TYPE_CHECKING:
    from narlab.models.processors.gat import Processor


class GraphAttentionKernel(TrajectoryKernel):
    """The kernel of GAT."""

    layers: ClassVar = {
        **dict.fromkeys(("of_value", "of_own", "of_receiver", "of_sender", "of_edge", "of_graph"), nn.Linear),
        "norm": nn.LayerNorm,
    }
    processor: Processor

    def prepare(self, features: Features, topology: Topology) -> Prepared:
        """edge_ij belongs to the receiver i, the second of a pair."""
        return Prepared(edges_of(features.edge.reversed(), topology), self._weights(features))

    def _weights(self, features: Features) -> tuple[Tensor, ...]:
        """All that is added to a logit beside its sender's and its edge's numbers joins its receiver's."""
        own, edge = self.processor, features.edge
        maps = (own.of_value, own.of_own, own.of_sender, own.of_receiver)
        value, kept, sender, receiver = (features.of_nodes(each, None) for each in maps)
        receiver = receiver + own.of_graph(features.graph)[:, None] + own.of_edge(edge.bias)
        hidden = features.node.shape[-1]
        return (
            torch.cat([value, kept, sender, receiver], -1),
            torch.cat([each.weight[:, hidden:] for each in maps]).T,
            (own.of_edge.weight @ edge.weight)[0],
            own.norm.weight,
            own.norm.bias,
        )

    def trajectory(self, state: State, prepared: Prepared, count: int, wanted: int) -> Tensor:
        steps = GraphAttentionSteps(prepared.edges, count, wanted)
        return call(steps, state.h, *prepared.weights)[0]


class GraphAttentionSteps(NodeSteps):
    """Those of attention."""

    code = kernel

    def weights_of(self, weights: Sequence[np.ndarray]) -> kernel.Weights:
        return kernel.Weights(*weights)

    def new_trace(self, size: tuple[int, ...]) -> kernel.Trace:
        count, rounds = self.steps if self.keeps else 1, self.steps * size[0] // (len(self.edges.first) - 1)
        return kernel.Trace(
            np.empty((count, *size[:2], self.weights.nodes.shape[2]), np.float32),
            np.empty((rounds if self.keeps else 1, len(self.edges.sender)), np.float32),
            np.empty((count, *size), np.float32),
        )

    def new_back(self) -> np.ndarray:
        return transposed(self.weights.state)[0]

    def new_gradients(self, states: int) -> NewGradients:
        return NewGradients(self.weights, states)


class NewGradients:
    """Gradients of `kernel.Weights`, by groups of states."""

    def __init__(self, weights: kernel.Weights, states: int) -> None:
        self.nodes = np.zeros_like(weights.nodes)
        self.sums = Sums(weights[1:], states)
        self.scratch = Sums([weights.nodes[0]], states)

    def of_group(self, g: int) -> kernel.Gradients:
        return kernel.Gradients(self.nodes, *self.sums.of_group(g), *self.scratch.of_group(g))

    def total(self) -> list[np.ndarray]:
        """In the order of the weights."""
        return [self.nodes, *self.sums.total()]
