"""Attention among pairs of nodes: what the two forms of 2WL share; they differ in the pairs that are tokens."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, linear

from narlab.models.encoders import Features, new_linear
from narlab.models.processors import AbstractProcessor, Memory
from narlab.models.topology import State, Topology, VisiblePairs

HEADS = 2


@dataclass(frozen=True)
class Prepared:
    """All that the step does not change."""

    tokens: Tensor  # the features' share of P, [B, N, N, H]
    hidden_keys: Tensor  # -inf where token (i, j) does not see a key, else 0; [B or 1, 1, N, N, 4N]
    non_edges: Tensor | None  # pairs that are no edge of the graph, [B, N, N, 1]; `None` if there is no graph


class PairAttention(AbstractProcessor):
    """Token x_ij = P [node_i ; node_j ; graph ; edge_ij ; e_ij], then one transformer block, norm first:

    x += MHA(LN x), x += D2 gelu(D1 LN x); e' = x and h'_i = x_ii. A token attends to those that share a node with it.
    These are the lines (row and column) of i and of j in the matrix of tokens, so that attention costs N^3, not N^4.
    See the paper (https://arxiv.org/abs/2211.00692) and, for the test of isomorphism, https://arxiv.org/abs/1810.02244.
    """

    batch_size = 16
    pairs = VisiblePairs.GRAPH
    memory = Memory.TRIPLES
    has_pair_state = True
    non_edges_are_tokens: ClassVar[bool]

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.of_token = new_linear(5 * hidden, hidden)  # P
        self.norm_1 = nn.LayerNorm(hidden)
        self.query = new_linear(hidden, HEADS * hidden, variance=2.0)
        self.key = new_linear(hidden, HEADS * hidden, variance=2.0)
        self.value = new_linear(hidden, HEADS * hidden, variance=2.0)
        self.out = new_linear(HEADS * hidden, hidden, variance=2.0)
        self.norm_2 = nn.LayerNorm(hidden)
        self.mlp_in = new_linear(hidden, hidden, variance=2.0)  # D1
        self.mlp_out = new_linear(hidden, hidden, variance=2.0)  # D2

    def prepare(self, features: Features, topology: Topology) -> Prepared:
        of_first, of_second, of_graph, of_edge, _ = self.of_token.weight.chunk(5, 1)
        tokens = linear(features.node, of_first)[:, :, None] + linear(features.node, of_second)[:, None]
        tokens = tokens + linear(features.graph, of_graph, self.of_token.bias)[:, None, None]
        if features.edge.everywhere is not None:
            tokens = tokens + linear(features.edge.everywhere, of_edge)
        seen = keys_seen_once(features.node.shape[1], tokens.device)  # [N, N, 4N]
        adjacency = topology.mask
        if adjacency is None:
            return Prepared(tokens, _as_bias(seen[None]), None)
        non_edges = ~adjacency[..., None]
        # What is no edge sees no key; to keep its softmax finite it is shown them all, and its answer is not used.
        return Prepared(tokens, _as_bias(seen & by_lines(adjacency) | non_edges), non_edges)

    def step(self, state: State, prepared: Prepared) -> State:
        x = prepared.tokens
        if state.e is not None:
            x = x + linear(state.e, self.of_token.weight.chunk(5, 1)[-1])  # [B, N, N, H]
        x = x + self.out(self._attend(self.norm_1(x), prepared))
        x = x + self.mlp_out(gelu(self.mlp_in(self.norm_2(x)), approximate="tanh"))
        if prepared.non_edges is not None and not self.non_edges_are_tokens:
            x = x.masked_fill(prepared.non_edges, 0.0)
        return State(h=x.diagonal(dim1=1, dim2=2).transpose(1, 2), e=x)

    def _attend(self, x: Tensor, prepared: Prepared) -> Tensor:
        """What each token hears, [B, N, N, heads * H]."""
        hidden = x.shape[-1]
        query, key, value = (_heads(layer(x)) for layer in (self.query, self.key, self.value))  # [B, heads, N, N, H]
        values = lines(value)  # [B, heads, N, 2N, H]
        logits = lines(query / math.sqrt(hidden)) @ lines(key).transpose(-1, -2)  # [B, heads, N, 2N, 2N]
        weights = (of_pairs(logits) + prepared.hidden_keys).softmax(-1)  # [B, heads, N, N, 4N]
        heard = torch.cat(from_pairs(weights), -2) @ values  # [B, heads, N, 2N, H]
        as_first, as_second = halves(heard, -2)
        total = (as_first + as_second.transpose(2, 3)).permute(0, 2, 3, 1, 4).flatten(3)  # [B, N, N, heads * H]
        if prepared.non_edges is not None and self.non_edges_are_tokens:
            everyone = value.mean((2, 3)).flatten(1)[:, None, None]  # [B, 1, 1, heads * H]
            total = torch.where(prepared.non_edges, everyone, total)
        return total


def lines(x: Tensor) -> Tensor:
    """The row and the column of each node in a matrix of tokens [..., N, N, H]: [..., N, 2N, H]."""
    return torch.cat([x, x.transpose(-2, -3)], -2)


def of_pairs(logits: Tensor) -> Tensor:
    """Logits of the tokens in each node's lines against the keys there [..., N, 2N, 2N], by token: [..., N, N, 4N]."""
    as_first, as_second = halves(logits, -2)  # token (i, j) stands at j in the lines of i, and at N + i in those of j
    return torch.cat([as_first, as_second.transpose(-2, -3)], -1)


def from_pairs(weights: Tensor) -> tuple[Tensor, Tensor]:
    """The way back of `of_pairs`, as two halves of the lines."""
    as_first, as_second = halves(weights, -1)
    return as_first, as_second.transpose(-2, -3)


def halves(x: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """The two halves along an axis that counts nodes; `chunk` of one can't be exported for graphs of any size."""
    middle = x.shape[axis] // 2
    return x.narrow(axis, 0, middle), x.narrow(axis, middle, middle)


def by_lines(x: Tensor) -> Tensor:
    """What is said of tokens [B, N, N] for each key of each token: [B, N, N, 4N]."""
    of_node = torch.cat([x, x.transpose(1, 2)], -1)  # [B, N, 2N]
    nodes = x.shape[1]
    first = of_node[:, :, None].expand(-1, -1, nodes, -1)
    second = of_node[:, None].expand(-1, nodes, -1, -1)
    return torch.cat([first, second], -1)


def keys_seen_once(nodes: int, device: torch.device) -> Tensor:
    """The lines of i and j cross; the keys [N, N, 4N] of token (i, j) of which each token is one, and only one."""
    i = torch.arange(nodes, device=device)[:, None, None]
    j = torch.arange(nodes, device=device)[None, :, None]
    k = torch.arange(nodes, device=device)[None, None]
    row_i = torch.ones(nodes, nodes, nodes, dtype=torch.bool, device=device)
    column_i = (k != i).expand(nodes, nodes, nodes)
    row_j = (i != j) & (k != i)
    return torch.cat([row_i, column_i, row_j, row_j & (k != j)], -1)


def _as_bias(seen: Tensor) -> Tensor:
    return torch.zeros(seen.shape, device=seen.device).masked_fill(~seen, -torch.inf)[:, None]


def _heads(x: Tensor) -> Tensor:
    return x.unflatten(-1, (HEADS, -1)).permute(0, 3, 1, 2, 4)  # [B, heads, N, N, H]
