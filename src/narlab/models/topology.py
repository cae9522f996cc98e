"""Along which pairs of nodes messages run: all of them, or the edges of a sparse graph.

A processor is written once, against the methods that both have. A pair is (sender, receiver); what belongs to pairs is
[B, N, N, H] over all pairs and [E, H] over edges, which are sorted by receiver.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from narlab.models.pairs import Pairs


@dataclass(frozen=True)
class Graphs:
    """The graphs of a batch: the `adjacency` [B, N, N] of its probes, and whether the task has a graph by itself."""

    adjacency: Tensor
    given: bool

    def topology(self, pairs: Pairs) -> "Topology":
        """The pairs that a processor sees."""
        if pairs is Pairs.ADJACENCY or (pairs is Pairs.GRAPH and self.given):
            return self._edges
        return self._all_pairs

    @cached_property
    def _edges(self) -> "Edges":
        return Edges(self)

    @cached_property
    def _all_pairs(self) -> "AllPairs":
        return AllPairs(self)


@dataclass(frozen=True)
class AllPairs:
    """Every node sends to every node."""

    graphs: Graphs

    def pair(self, sender: Tensor, receiver: Tensor) -> Tensor:
        """The sum of what a pair's sender and receiver [B, N, H] bring."""
        return sender[:, :, None] + receiver[:, None, :]  # [B, N, N, H]

    def of_pairs(self, values: Tensor) -> Tensor:
        """Values [B, N, N, ...] of the pairs."""
        return values

    def of_graph(self, values: Tensor) -> Tensor:
        """The value [B, H] of each pair's graph, in a shape that adds to pairs."""
        return values[:, None, None]

    def at_receiver(self, values: Tensor) -> Tensor:
        """The value [B, N, H] of each pair's receiver, in a shape that goes with pairs."""
        return values[:, None]

    def max_to_receiver(self, messages: Tensor) -> Tensor:
        """The largest message to each node, feature by feature."""
        return _Largest.apply(messages, self)  # [B, N, H]

    def largest(self, messages: Tensor) -> Tensor:
        """`max_to_receiver` without a gradient."""
        return messages.amax(1)

    def softmax_at_receiver(self, logits: Tensor) -> Tensor:
        """The softmax of one logit per pair over the senders of each receiver."""
        return logits.softmax(1)

    def sum_to_receiver(self, weights: Tensor, values: Tensor) -> Tensor:
        """The sum of the senders' `values` [B, N, H] with one weight per pair."""
        return torch.einsum("bsr,bsh->brh", weights[..., 0], values)


@dataclass(frozen=True)
class Edges:
    """Messages run along the edges of a batch of sparse graphs, self-loops among them."""

    graphs: Graphs

    @property
    def adjacency(self) -> Tensor:
        """Which pairs are edges, [B, N, N]."""
        return self.graphs.adjacency

    @cached_property
    def index(self) -> tuple[Tensor, Tensor, Tensor]:
        """Graph, sender and receiver of each edge, sorted by graph and receiver."""
        graph, receiver, sender = self.adjacency.transpose(1, 2).nonzero(as_tuple=True)
        return graph, sender, receiver

    @cached_property
    def rows(self) -> tuple[Tensor, Tensor]:
        """Sender and receiver of each edge, counted through the batch."""
        graph, sender, receiver = self.index
        first = graph * self.adjacency.shape[1]
        return first + sender, first + receiver

    def pair(self, sender: Tensor, receiver: Tensor) -> Tensor:
        from_, to = self.rows
        return sender.flatten(0, 1).index_select(0, from_) + receiver.flatten(0, 1).index_select(0, to)  # [E, H]

    def of_pairs(self, values: Tensor) -> Tensor:
        return values[self.index]  # [E, ...]

    def of_graph(self, values: Tensor) -> Tensor:
        return values.index_select(0, self.index[0])  # [E, H]

    def at_receiver(self, values: Tensor) -> Tensor:
        return values.flatten(0, 1).index_select(0, self.rows[1])  # [E, H]

    def max_to_receiver(self, messages: Tensor) -> Tensor:
        return _Largest.apply(messages, self)  # [B, N, H]

    def largest(self, messages: Tensor) -> Tensor:
        receiver = self.rows[1][:, None].expand_as(messages)
        empty = messages.new_full((self.adjacency[..., 0].numel(), messages.shape[1]), -torch.inf)
        return empty.scatter_reduce(0, receiver, messages, "amax").unflatten(0, self.adjacency.shape[:2])

    def softmax_at_receiver(self, logits: Tensor) -> Tensor:
        largest = self.largest(logits.detach())
        powers = (logits - self.at_receiver(largest)).exp()
        total = torch.zeros_like(largest).flatten(0, 1).index_add(0, self.rows[1], powers)
        return powers / total.index_select(0, self.rows[1])

    def sum_to_receiver(self, weights: Tensor, values: Tensor) -> Tensor:
        sent = weights * values.flatten(0, 1).index_select(0, self.rows[0])
        return torch.zeros_like(values).flatten(0, 1).index_add(0, self.rows[1], sent).unflatten(0, values.shape[:2])


Topology = AllPairs | Edges


class _Largest(torch.autograd.Function):
    """The largest message at each receiver; the gradient goes to that message, in a fifth of the time of `amax`."""

    @staticmethod
    def forward(ctx: Any, messages: Tensor, topology: Topology) -> Tensor:
        largest = topology.largest(messages)
        ctx.topology = topology
        ctx.save_for_backward(messages, largest)
        return largest

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        messages, largest = ctx.saved_tensors
        chosen = torch.eq(messages, ctx.topology.at_receiver(largest), out=torch.empty_like(messages))
        return chosen.mul_(ctx.topology.at_receiver(gradient)), None
