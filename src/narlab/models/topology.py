"""Along which pairs of nodes messages run: all of them, or the edges of a graph.

A processor is written once, against these methods. A pair is (sender, receiver); what belongs to pairs is
[B, N, N, ...]. This is the plain form, dense and without a word from the device; `models.kernels` goes along `index`.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from narlab.models.visible_pairs import VisiblePairs


@dataclass(frozen=True)
class Graphs:
    """The graphs of a batch: the `adjacency` [B, N, N] of its probes, and whether the task has a graph by itself.

    `next` [B, N] is the node after each in the order of the nodes, -1 where there is none; `None`: nodes have no order.
    """

    adjacency: Tensor
    given: bool
    next: Tensor | None = None

    @classmethod
    def of(cls, edges: Tensor | None, size: tuple[int, int], device: torch.device, *, given: bool) -> "Graphs":
        """Those of `edges` [B, N, N], if there are any, and self-loops; `size` is (B, N)."""
        graphs, nodes = size
        loops = torch.eye(nodes, dtype=torch.bool, device=device).expand(graphs, nodes, nodes)
        return cls(loops, given).with_edges(edges)

    def with_edges(self, edges: Tensor | None) -> "Graphs":
        """The same graphs with more edges [B, N, N]."""
        return self if edges is None else replace(self, adjacency=self.adjacency | edges)

    @cached_property
    def previous(self) -> Tensor | None:
        """The node before each, in the form of `next`."""
        if self.next is None:
            return None
        nodes = self.next.shape[1]
        places = torch.where(
            self.next < 0, nodes, self.next
        )  # what has no next node says so to a place that is cut off
        index = torch.arange(nodes, device=self.next.device).expand_as(self.next)
        return self.next.new_full((len(self.next), nodes + 1), -1).scatter(1, places, index)[:, :nodes]

    def topology(self, pairs: VisiblePairs) -> "Topology":
        """The pairs that a processor sees."""
        if pairs is VisiblePairs.ADJACENCY or (pairs is VisiblePairs.GRAPH and self.given):
            return self.edges
        return self.all_pairs

    @cached_property
    def edges(self) -> "Topology":
        return Topology(self, self.adjacency)

    @cached_property
    def all_pairs(self) -> "Topology":
        return Topology(self, None)


@dataclass(frozen=True)
class Topology:
    """Who sends to whom: the pairs of `mask` [B, N, N], self-loops among them; `None` stands for all pairs."""

    graphs: Graphs
    mask: Tensor | None

    @cached_property
    def index(self) -> tuple[Tensor, Tensor, Tensor]:
        """Graph, sender and receiver of each edge, sorted by graph and receiver."""
        mask = torch.ones_like(self.graphs.adjacency) if self.mask is None else self.mask
        graph, receiver, sender = mask.transpose(1, 2).nonzero(as_tuple=True)
        return graph, sender, receiver

    def pair(self, sender: Tensor, receiver: Tensor) -> Tensor:
        """The sum of what a pair's sender and receiver [B, N, H] bring."""
        return sender[:, :, None] + receiver[:, None, :]  # [B, N, N, H]

    def of_graph(self, values: Tensor) -> Tensor:
        """The value [B, H] of each pair's graph, in a shape that adds to pairs."""
        return values[:, None, None]

    def max_to_receiver(self, messages: Tensor) -> Tensor:
        """The largest message to each node, feature by feature."""
        return self._seen(messages).amax(1)  # [B, N, H]

    def softmax_at_receiver(self, logits: Tensor) -> Tensor:
        """The softmax of one logit per pair over the senders of each receiver."""
        return self._seen(logits).softmax(1)

    def sum_to_receiver(self, weights: Tensor, values: Tensor) -> Tensor:
        """The sum of the senders' `values` [B, N, H] with one weight per pair."""
        return torch.einsum("bsr,bsh->brh", weights[..., 0], values)

    def _seen(self, values: Tensor) -> Tensor:
        return values if self.mask is None else values.masked_fill(~self.mask[..., None], -torch.inf)
