"""GAT: attention with one head along the graph and the pointers."""

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from narlab.models.encoders import Features, linear_of_parts, new_linear
from narlab.models.kernels.graph_attention import GraphAttentionKernel
from narlab.models.processors import AbstractProcessor
from narlab.models.topology import State, Topology, VisiblePairs


@dataclass(frozen=True)
class Prepared:
    """All that the step does not change."""

    topology: Topology
    logits: Tensor  # what features and biases bring to the logit of each pair
    value: Tensor  # V's share of the node features, [B, N, H]
    own: Tensor  # S's share of the node features, [B, N, H]


class Processor(AbstractProcessor):
    """h'_i = LN(relu(sum_j a_ij V z_j + S z_i)), where z_i = [node_i ; h_i] and, over the neighbours j of i,

    a_ij = softmax of leaky_relu(u1 z_i + u2 z_j + ue edge_ij + ug graph). See https://arxiv.org/abs/1710.10903.

    >>> import narlab
    >>> model = narlab.models.build("bfs", processor="gat", hidden=8, depth=2)
    >>> batch = narlab.models.make_batch(narlab.data.custom("bfs", n=4, count=2))
    >>> model(batch).outputs["pi"].shape
    torch.Size([2, 4, 4])
    """

    pairs = VisiblePairs.ADJACENCY
    kernel = GraphAttentionKernel

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.of_value = new_linear(2 * hidden, hidden)  # V
        self.of_own = new_linear(2 * hidden, hidden)  # S
        self.of_receiver = new_linear(2 * hidden, 1)  # u1
        self.of_sender = new_linear(2 * hidden, 1)  # u2
        self.of_edge = new_linear(hidden, 1)  # ue
        self.of_graph = new_linear(hidden, 1)  # ug
        self.norm = nn.LayerNorm(hidden)

    def prepare(self, features: Features, topology: Topology) -> Prepared:
        node = (features.node, None)
        edge = features.edge.reversed().everywhere  # edge_ij belongs to the receiver i, here the second of a pair
        edge = self.of_edge.bias if edge is None else self.of_edge(edge)
        pair = topology.pair(linear_of_parts(self.of_sender, node), linear_of_parts(self.of_receiver, node))
        logits = pair + topology.of_graph(self.of_graph(features.graph)) + edge
        return Prepared(topology, logits, linear_of_parts(self.of_value, node), linear_of_parts(self.of_own, node))

    def step(self, state: State, prepared: Prepared) -> State:
        hidden = state.h.shape[-1]

        def of_state(layer: nn.Linear) -> Tensor:
            return state.h @ layer.weight[:, hidden:].T

        pair = prepared.topology.pair(of_state(self.of_sender), of_state(self.of_receiver))  # [B, N, N, 1]
        attention = prepared.topology.softmax_at_receiver(leaky_relu(pair + prepared.logits, 0.01))  # [B, N, N, 1]
        heard = prepared.topology.sum_to_receiver(attention, of_state(self.of_value) + prepared.value)  # [B, N, H]
        return State(h=self.norm((heard + of_state(self.of_own) + prepared.own).relu()), e=state.e)
