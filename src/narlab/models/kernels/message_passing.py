"""Message passing along edges with compiled kernels; see `narlab.kernels.message_passing` for the formula."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from narlab.kernels import message_passing as kernel
from narlab.kernels import messages
from narlab.kernels.matrices import in_panels
from narlab.models.encoders import EdgeFeatures, Features
from narlab.models.kernels import (
    Arrays,
    Computation,
    Sums,
    TrajectoryKernel,
    array,
    call,
    in_groups,
    last_states,
    new_states,
    transposed,
)
from narlab.models.topology import State, Topology

if TYPE_CHECKING:
    from narlab.models.processors._message_passing import MessagePassing


FEW_ROWS = 256  # of a product that is slower by the row than larger ones
IN_PANELS = ("state", "hidden", "out", "inbox")  # the matrices that the kernel multiplies with


@dataclass(frozen=True)
class Prepared:
    """The edges, and the weights as `kernel.Weights` orders them."""

    edges: messages.Edges
    weights: tuple[Tensor, ...]


class MessagePassingKernel(TrajectoryKernel):
    """The kernel of `MessagePassing`."""

    layers: ClassVar = {
        **dict.fromkeys(("of_receiver", "of_sender", "of_edge", "of_graph", "of_own", "of_inbox"), nn.Linear),
        "message_mlp": nn.Sequential,
        "message_mlp.0": nn.Linear,
        "message_mlp.1": nn.ReLU,
        "message_mlp.2": nn.Linear,
        "norm": nn.LayerNorm,
    }
    processor: MessagePassing

    def prepare(self, features: Features, topology: Topology) -> Prepared:
        return Prepared(edges_of(features.edge, topology), self._weights(features))

    def _weights(self, features: Features) -> tuple[Tensor, ...]:
        """Biases that don't pass a nonlinearity join what does not change between steps."""
        own = self.processor
        hidden_map, _, out_map = own.message_mlp
        assert isinstance(hidden_map, nn.Linear)
        assert isinstance(out_map, nn.Linear)
        maps = (own.of_sender, own.of_receiver, own.of_own)
        at_sender, at_receiver, at_own = (features.of_nodes(each, None) for each in maps)
        of_pairs = linear(features.edge.bias, own.of_edge.weight, own.of_edge.bias)
        at_receiver = at_receiver + own.of_graph(features.graph)[:, None] + of_pairs
        at_own = at_own + linear(out_map.bias, own.of_inbox.weight, own.of_inbox.bias)
        hidden = features.node.shape[-1]
        return (
            torch.cat([at_sender, at_receiver, at_own], -1),
            torch.cat([each.weight[:, hidden:] for each in maps]).T,
            (own.of_edge.weight @ features.edge.weight).T,
            hidden_map.weight.T,
            hidden_map.bias,
            out_map.weight.T,
            own.of_inbox.weight.T,
            own.norm.weight,
            own.norm.bias,
        )

    def trajectory(self, state: State, prepared: Prepared, count: int, wanted: int) -> Tensor:
        together = graphs_together(len(state.h), len(prepared.edges.sender) // (len(prepared.edges.first) - 1))
        steps = MessagePassingSteps(joined_edges(prepared.edges, together, state.h.shape[1]), count, wanted)
        at_nodes, *maps = prepared.weights
        states = call(
            steps, *(each.reshape(-1, together * each.shape[1], each.shape[2]) for each in (state.h, at_nodes)), *maps
        )
        return states[0].view(-1, *state.h.shape)


def graphs_together(graphs: int, edges: int) -> int:
    """How many graphs of so few edges are taken as one, whose parts no edge joins: products of few rows are slow.

    >>> graphs_together(32, 32), graphs_together(6, 32), graphs_together(32, 256)
    (8, 2, 1)
    """
    return gcd(graphs, 2 ** max(0, (FEW_ROWS // max(1, edges)).bit_length() - 1))


def joined_edges(edges: messages.Edges, together: int, nodes: int) -> messages.Edges:
    """The edges of graphs of so many nodes, some graphs taken as one."""
    graph = np.repeat(np.arange(len(edges.first) - 1, dtype=np.int32), np.diff(edges.first))
    before = graph % together * np.int32(nodes)
    return edges._replace(
        first=edges.first[::together].copy(), sender=edges.sender + before, receiver=edges.receiver + before
    )


def edges_of(edge: EdgeFeatures, topology: Topology) -> messages.Edges:
    """The edges of a topology with what the probes say of them."""
    graph, sender, receiver = topology.index
    first = np.searchsorted(graph.numpy(), np.arange(len(edge.raw) + 1))
    raw = edge.raw[graph, sender, receiver]
    return messages.Edges(first, sender.int().numpy(), receiver.int().numpy(), array(raw))


class NodeSteps(Computation):
    """The last `wanted` states [K, B, N, H] of `steps` steps from h [B, N, H] along edges, with a kernel's weights."""

    code: ModuleType
    """The kernel: `forward` and `backward`."""

    def __init__(self, edges: Any, steps: int, wanted: int) -> None:
        self.edges, self.steps, self.wanted = edges, steps, wanted

    @abstractmethod
    def weights_of(self, weights: Sequence[np.ndarray]) -> Any:
        """The weights as a record."""

    def new_maps(self) -> Any:
        """The weights in the kernel's form."""
        return self.weights

    @abstractmethod
    def new_trace(self, size: tuple[int, ...]) -> Any:
        """Arrays for what the way back needs of states of `size` (B, N, H), or for one step if there is none."""

    @abstractmethod
    def new_back(self) -> Any:
        """The maps of the way back."""

    @abstractmethod
    def new_gradients(self, states: int) -> Any:
        """Gradients of the weights by groups of so many states: `of_group`, and `total` in the order of the weights."""

    def forward(self, *inputs: np.ndarray) -> Arrays:
        h, self.weights = inputs[0], self.weights_of(inputs[1:])
        self.maps = self.new_maps()
        self.trace = self.new_trace(h.shape)
        self.states = new_states(self.steps, h, kept=self.keeps or self.wanted > 2)

        def work(g: int, group: tuple[int, int]) -> None:
            self.code.forward(self.edges, self.maps, self.trace, self.states, self.steps, group)

        in_groups(work, len(h))
        return [last_states(self.states, self.steps, self.wanted)]

    def backward(self, *gradients: np.ndarray) -> Arrays:
        d_last = gradients[0].copy()
        back, of_maps = self.new_back(), self.new_gradients(d_last.shape[1])

        def work(g: int, group: tuple[int, int]) -> None:
            d_maps = of_maps.of_group(g)
            self.code.backward(self.edges, self.maps, back, self.trace, self.states, d_last, d_maps, group)

        in_groups(work, d_last.shape[1])
        return [d_last[-1], *of_maps.total()]


class MessagePassingSteps(NodeSteps):
    """Those of message passing."""

    code = kernel

    def weights_of(self, weights: Sequence[np.ndarray]) -> kernel.Weights:
        return kernel.Weights(*weights)

    def new_maps(self) -> kernel.Weights:
        return new_maps(self.weights)

    def new_trace(self, size: tuple[int, ...]) -> kernel.Trace:
        return new_trace(self.edges, self.steps, size, kept=self.keeps)

    def new_back(self) -> kernel.Back:
        return new_back(self.weights)

    def new_gradients(self, states: int) -> NewGradients:
        return NewGradients(self.weights, states)


class NewGradients:
    """Gradients of `kernel.Weights`, by groups of states."""

    def __init__(self, weights: kernel.Weights, states: int) -> None:
        _, nodes, width = weights.nodes.shape
        hidden = width // 3
        self.nodes = np.zeros_like(weights.nodes)
        self.sums = Sums(weights[1:], states)
        self.scratch = Sums([np.empty((nodes, size), np.float32) for size in (width, hidden, hidden)], states)

    def of_group(self, g: int) -> kernel.Gradients:
        return kernel.Gradients(self.nodes, *self.sums.of_group(g), *self.scratch.of_group(g))

    def total(self) -> list[np.ndarray]:
        """In the order of the weights."""
        sums = dict(zip(kernel.Weights._fields[1:], self.sums.total(), strict=True))
        return [self.nodes, *(total.T if name == "out" else total for name, total in sums.items())]


def new_maps(weights: kernel.Weights) -> kernel.Weights:
    """The weights, with matrices in panels."""
    return weights._replace(**{name: in_panels(getattr(weights, name)) for name in IN_PANELS})


def new_back(weights: kernel.Weights) -> kernel.Back:
    state, hidden, out, inbox = transposed(*(getattr(weights, name) for name in IN_PANELS))
    return kernel.Back(in_panels(state), in_panels(hidden), in_panels(out), in_panels(inbox), out)


def new_trace(edges: messages.Edges, steps: int, size: tuple[int, ...], *, kept: bool) -> kernel.Trace:
    """Arrays for what the way back needs of states of `size` (B, N, H), or for one step if there is none."""
    count, hidden = steps if kept else 1, size[-1]
    shape = (count, *size)
    graphs = len(edges.first) - 1
    return kernel.Trace(
        np.empty((*shape[:-1], 3 * hidden), np.float32),
        np.empty((count * size[0] // graphs if kept else 1, len(edges.sender) if kept else 0, hidden), np.float32),
        np.empty(shape, np.int32),
        np.empty(shape, np.float32),
        np.empty(shape, np.float32),
    )
