"""Message passing with a max: what MPNN-FC, MPNN-G and PGN share; they differ in the pairs that messages run along."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from narlab.models.encoders import Features, linear_of_parts, new_linear
from narlab.models.kernels.message_passing import MessagePassingKernel
from narlab.models.processors import AbstractProcessor
from narlab.models.topology import State, Topology


@dataclass(frozen=True)
class Prepared:
    """All that the step does not change."""

    topology: Topology
    nodes: Tensor  # what features and biases bring to a node as sender, as receiver and to its own update, [B, N, 3H]
    edge: Tensor | None  # what they bring to the pairs, [B, N, N, H]
    of_state: Tensor  # the state's halves of M2, M1 and O1, [3H, H]


class MessagePassing(AbstractProcessor):
    """h'_j = LN(relu(O1 z_j + O2 max_i m_ij)), where z_i = [node_i ; h_i] and the message from i to j is

    m_ij = W2 relu(W1 relu(M1 z_j + M2 z_i + Me edge_ij + Mg graph)). See https://arxiv.org/abs/1704.01212 and, with the
    maximum, https://arxiv.org/abs/1910.10593.
    """

    kernel = MessagePassingKernel

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.of_receiver = new_linear(2 * hidden, hidden)  # M1
        self.of_sender = new_linear(2 * hidden, hidden)  # M2
        self.of_edge = new_linear(hidden, hidden)  # Me
        self.of_graph = new_linear(hidden, hidden)  # Mg
        self.message_mlp = nn.Sequential(new_linear(hidden, hidden), nn.ReLU(), new_linear(hidden, hidden))
        self.of_own = new_linear(2 * hidden, hidden)  # O1
        self.of_inbox = new_linear(hidden, hidden)  # O2
        self.norm = nn.LayerNorm(hidden)

    def prepare(self, features: Features, topology: Topology) -> Prepared:
        hidden = self.norm.normalized_shape[0]
        maps = (self.of_sender, self.of_receiver, self.of_own)
        sender, receiver, own = (linear_of_parts(each, (features.node, None)) for each in maps)
        edge = features.edge.everywhere
        of_graph = self.of_graph(features.graph)[:, None] + (self.of_edge.bias if edge is None else 0.0)
        return Prepared(
            topology,
            nodes=torch.cat([sender, receiver + of_graph, own], -1),
            edge=None if edge is None else self.of_edge(edge),
            of_state=torch.cat([each.weight[:, hidden:] for each in maps]),
        )

    def step(self, state: State, prepared: Prepared) -> State:
        sender, receiver, own = (linear(state.h, prepared.of_state) + prepared.nodes).chunk(3, -1)  # [B, N, H] each
        message = prepared.topology.pair(sender, receiver)  # [B, N, N, H]
        if prepared.edge is not None:
            message = message + prepared.edge
        message = self.message_mlp(message.relu())  # [B, N, N, H]
        inbox = prepared.topology.max_to_receiver(message)  # [B, N, H]
        return State(h=self.norm((own + self.of_inbox(inbox)).relu()), e=state.e)
