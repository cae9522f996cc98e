"""Attention among edges with compiled kernels; see `narlab.kernels.pair_attention` for the formula."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from narlab.kernels import lines as token_lines
from narlab.kernels import pair_attention as kernel
from narlab.kernels.lines import HEADS
from narlab.kernels.matrices import in_panels
from narlab.models.encoders import Features
from narlab.models.kernels import (
    AbstractKernel,
    Arrays,
    Computation,
    Sums,
    call,
    in_groups,
    last_two,
    new_states,
    transposed,
)
from narlab.models.topology import State, Topology

if TYPE_CHECKING:
    from narlab.models.processors._pair_attention import PairAttention

Index = tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True)
class Prepared:
    """Graph, first and second node of each token, their lines, and the weights as `kernel.Weights` orders them."""

    index: Index
    lines: token_lines.Lines
    weights: tuple[Tensor, ...]
    size: tuple[int, int]  # B and N

    def of_tokens(self, e: Tensor | None) -> Tensor:
        """The edge state of the tokens, [E, H]."""
        if e is None:
            return torch.zeros_like(self.weights[0])
        return e[self.index]

    def of_pairs(self, tokens: Tensor) -> State:
        """The state whose edge state is that of the tokens, and zero elsewhere."""
        graphs, nodes = self.size
        e = tokens.new_zeros(graphs, nodes, nodes, tokens.shape[1]).index_put(self.index, tokens)
        return State(e.diagonal(dim1=1, dim2=2).transpose(1, 2), e)


class PairAttentionKernel(AbstractKernel):
    """The kernel of `PairAttention`, for tokens that are edges."""

    layers: ClassVar = {
        **dict.fromkeys(("of_token", "query", "key", "value", "out", "mlp_in", "mlp_out"), nn.Linear),
        **dict.fromkeys(("norm_1", "norm_2"), nn.LayerNorm),
    }
    processor: PairAttention

    def prepare(self, features: Features, topology: Topology) -> Prepared:
        graph, first, second = topology.index
        graphs, nodes, _ = features.node.shape
        begin = np.searchsorted(graph.numpy(), np.arange(graphs + 1))
        lines = token_lines.lines_of(begin, first.int().numpy(), second.int().numpy(), nodes)
        return Prepared(topology.index, lines, self._weights(features, topology.index), (graphs, nodes))

    def _tokens(self, features: Features, index: Index) -> Tensor:
        """The features' share of P, [E, H]."""
        own = self.processor.of_token
        graph, first, second = index
        of_first, of_second, of_graph, of_edge, _ = own.weight.chunk(5, 1)
        begin = graph * features.node.shape[1]
        tokens = linear(features.node, of_first).flatten(0, 1).index_select(0, begin + first)
        tokens = tokens + linear(features.node, of_second).flatten(0, 1).index_select(0, begin + second)
        tokens = tokens + linear(features.graph, of_graph, own.bias).index_select(0, graph)
        raw = features.edge.raw[index]
        return tokens + linear(raw, of_edge @ features.edge.weight, of_edge @ features.edge.bias)

    def _weights(self, features: Features, index: Index) -> tuple[Tensor, ...]:
        """Keys are folded into queries, values into the output map; a bias of keys would move all logits alike."""
        own = self.processor
        hidden = features.node.shape[-1]
        query, key, value = (each.weight.unflatten(0, (HEADS, hidden)) for each in (own.query, own.key, own.value))
        scaled = key / math.sqrt(hidden)  # [heads, H, H]
        of_query = (query.transpose(1, 2) @ scaled).transpose(0, 1).flatten(1)  # [H, heads H]
        query_bias = (own.query.bias.view(HEADS, 1, hidden) @ scaled).flatten()
        out = own.out.weight.unflatten(1, (HEADS, hidden)).permute(1, 2, 0)  # [heads, H, H]
        return (
            self._tokens(features, index),
            own.of_token.weight.chunk(5, 1)[-1].T,
            own.norm_1.weight,
            own.norm_1.bias,
            of_query,
            query_bias,
            (value.transpose(1, 2) @ out).flatten(0, 1),  # [heads H, H]
            linear(own.value.bias, own.out.weight, own.out.bias),
            own.norm_2.weight,
            own.norm_2.bias,
            own.mlp_in.weight.T,
            own.mlp_in.bias,
            own.mlp_out.weight.T,
            own.mlp_out.bias,
        )

    def steps(self, state: State, prepared: Prepared, count: int) -> tuple[State, State]:
        e, weights = prepared.of_tokens(state.e), prepared.weights
        before, after = call(PairAttentionSteps(prepared.lines, count), e, *weights)
        return state if count == 1 else prepared.of_pairs(before), prepared.of_pairs(after)


class PairAttentionSteps(Computation):
    """The last two edge states [E, H] after `steps` steps from e [E, H], with `kernel.Weights`."""

    def __init__(self, lines: token_lines.Lines, steps: int) -> None:
        self.lines, self.steps = lines, steps
        self.graphs = len(lines.first) - 1

    def forward(self, *inputs: np.ndarray) -> Arrays:
        e, self.weights = inputs[0], kernel.Weights(*inputs[1:])
        self.maps = new_maps(self.weights)
        hidden = e.shape[1]
        self.states = new_states(self.steps, e, kept=self.keeps)
        self.trace = new_trace(self.lines, self.steps, hidden) if self.keeps else None

        def work(g: int, group: tuple[int, int]) -> None:
            trace = self.trace or trace_of_one(self.lines, hidden)
            kernel.forward(self.lines, self.maps, trace, self.states, self.steps, group)

        in_groups(work, self.graphs)
        return last_two(self.states, self.steps)

    def backward(self, *gradients: np.ndarray) -> Arrays:
        d_last = np.stack(gradients)
        back, of_maps = new_back(self.weights), NewGradients(self.weights, self.graphs)

        def work(g: int, group: tuple[int, int]) -> None:
            kernel.backward(self.lines, self.maps, back, self.trace, self.states, d_last, of_maps.of_group(g), group)

        in_groups(work, self.graphs)
        return [d_last[1], *of_maps.total()]


class NewGradients:
    """Gradients of `kernel.Weights`, by groups of graphs."""

    def __init__(self, weights: kernel.Weights, graphs: int) -> None:
        self.tokens = np.zeros_like(weights.tokens)
        self.sums = Sums(weights[1:], graphs)

    def of_group(self, g: int) -> kernel.Gradients:
        return kernel.Gradients(self.tokens, *self.sums.of_group(g))

    def total(self) -> list[np.ndarray]:
        """In the order of the weights."""
        return [self.tokens, *self.sums.total()]


def new_maps(weights: kernel.Weights) -> kernel.Weights:
    """The weights, with matrices in panels."""
    return weights._replace(**{name: in_panels(getattr(weights, name)) for name in kernel.Back._fields})


def new_back(weights: kernel.Weights) -> kernel.Back:
    return kernel.Back(*map(in_panels, transposed(*(getattr(weights, name) for name in kernel.Back._fields))))


def new_trace(lines: token_lines.Lines, steps: int, hidden: int) -> kernel.Trace:
    """Arrays for what the way back needs of all steps of all graphs."""
    return _trace(steps, len(lines.first) - 1, len(lines.node), (hidden, int(lines.logit[:, -1].max())))


def trace_of_one(lines: token_lines.Lines, hidden: int) -> kernel.Trace:
    """Arrays for one step of one graph, whichever it is."""
    return _trace(1, 1, int(np.diff(lines.first).max()), (hidden, int(lines.logit[:, -1].max())))


def _trace(steps: int, graphs: int, tokens: int, widths: tuple[int, int]) -> kernel.Trace:
    hidden, logits = widths
    of_tokens = [np.empty((steps, tokens, width), np.float32) for width in (hidden, HEADS * hidden, hidden, hidden)]
    return kernel.Trace(of_tokens[0], np.empty((steps, graphs, logits), np.float32), *of_tokens[1:])
