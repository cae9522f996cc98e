"""What a processor works on: the state, and the pairs of nodes along which messages run, all or the edges of a graph.

A processor is written once, against these methods. A pair is (sender, receiver); what belongs to pairs is
[B, N, N, ...]. This is the plain form, dense and without a word from the device; `models.kernels` goes along `index`.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

import torch
from torch import Tensor

from narlab.common import computed_once
from narlab.models.batch import Tensors

STRING = "string"  # the node mask that says which of two strings a node belongs to


@dataclass(frozen=True)
class State:
    """Node state h [B, N, H] and edge state e [B, N, N, H]; `None` stands for an edge state of zeros.

    `pairs` [B, N, N, `pair_width`] is what a step found out about pairs beside the state: a readout may look at it, the
    next step does not. Most processors have none.
    """

    h: Tensor
    e: Tensor | None = None
    pairs: Tensor | None = None

    def of_graphs(self, chosen: Tensor) -> "State":
        """That of some graphs of the batch."""
        e, pairs = (None if part is None else part[chosen] for part in (self.e, self.pairs))
        return State(self.h[chosen], e, pairs)


class VisiblePairs(StrEnum):
    """A is the adjacency of the encoded probes: self-loops, edge masks and node pointers, both ways."""

    ALL = "all pairs"
    GRAPH = "A if the task has a graph, else all pairs"
    ADJACENCY = "A always"


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

    def repeated(self, times: int) -> "Graphs":
        """All graphs so many times, one round after the other."""
        after = None if self.next is None else self.next.repeat(times, 1)
        return Graphs(self.adjacency.repeat(times, 1, 1), self.given, after)

    @computed_once
    def previous(self) -> Tensor | None:
        """The node before each, in the form of `next`."""
        if self.next is None:
            return None
        nodes = self.next.shape[1]
        places = torch.where(
            self.next < 0, nodes, self.next
        )  # what has no next node says so to a place that is cut off
        index = torch.arange(nodes, device=self.next.device).expand_as(self.next)
        return self.next.new_full((self.next.shape[0], nodes + 1), -1).scatter(1, places, index)[:, :nodes]

    def topology(self, pairs: VisiblePairs) -> "Topology":
        """The pairs that a processor sees."""
        if pairs is VisiblePairs.ADJACENCY or (pairs is VisiblePairs.GRAPH and self.given):
            return self.edges
        return self.all_pairs

    @computed_once
    def edges(self) -> "Topology":
        return Topology(self, self.adjacency)

    @computed_once
    def all_pairs(self) -> "Topology":
        return Topology(self, None)


@dataclass(frozen=True)
class Topology:
    """Who sends to whom: the pairs of `mask` [B, N, N], self-loops among them; `None` stands for all pairs."""

    graphs: Graphs
    mask: Tensor | None

    @computed_once
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


def diagonal(x: Tensor) -> Tensor:
    """What pairs [B, N, N, H] say of the nodes themselves: [B, N, H]."""
    return x.diagonal(dim1=1, dim2=2).transpose(1, 2)


def next_nodes(inputs: Tensors) -> Tensor:
    """The node after each one in the order of the input `pos`, -1 for the last: [B, N].

    In tasks with two strings the order is that within each of them.

    >>> next_nodes({"pos": torch.tensor([[0.0, 0.5, 0.0, 0.5]]), "string": torch.tensor([[0.0, 0.0, 1.0, 1.0]])})
    tensor([[ 1, -1,  3, -1]])
    """
    order = inputs["pos"].argsort(dim=1, stable=True)
    string = _strings(inputs)
    order = order.gather(1, string.gather(1, order).argsort(dim=1, stable=True))  # by string, then by `pos`
    ordered = string.gather(1, order)
    after = torch.where(ordered[:, 1:] == ordered[:, :-1], order[:, 1:], -1)
    return torch.full_like(order, -1).scatter(1, order[:, :-1], after)


def order_relations(inputs: Tensors) -> Tensor:
    """What pairs know of the order: i before j, j before i, j next after i, j the one before i, i = j; [B, N, N, 5]."""
    rank = inputs["pos"].argsort(dim=1, stable=True).argsort(1)
    string, nodes = _strings(inputs), rank.shape[1]
    before = (rank[:, :, None] < rank[:, None]) & (string[:, :, None] == string[:, None])
    index = torch.arange(nodes, device=rank.device)
    is_next = next_nodes(inputs)[:, :, None] == index
    same = (index[:, None] == index).expand_as(before)
    return torch.stack([before, before.transpose(1, 2), is_next, is_next.transpose(1, 2), same], -1).float()


def _strings(inputs: Tensors) -> Tensor:
    return inputs[STRING] if STRING in inputs else torch.zeros_like(inputs["pos"])
