"""Max pooling: each node takes the largest of what its neighbours send."""

from dataclasses import dataclass

from torch import Tensor, nn

from narlab.models.encoders import Features, new_linear
from narlab.models.processors import AbstractProcessor, VisiblePairs
from narlab.models.topology import State, Topology


@dataclass(frozen=True)
class Prepared:
    """All that the step does not change."""

    topology: Topology
    sent: Tensor  # the features' share of what is sent, [B, N, H]
    edge: Tensor | float  # the features of each pair


class Processor(AbstractProcessor):
    """h'_j = LN(h_j + max_i relu(V node_i + W h_i + edge_ij))."""

    default_width = 64
    pairs = VisiblePairs.GRAPH

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.of_node, self.of_state = new_linear(hidden, hidden), new_linear(hidden, hidden)
        self.norm = nn.LayerNorm(hidden)

    def prepare(self, features: Features, topology: Topology) -> Prepared:
        edge = features.edge.everywhere
        return Prepared(topology, self.of_node(features.node), 0.0 if edge is None else edge)

    def step(self, state: State, prepared: Prepared) -> State:
        sent = prepared.sent + self.of_state(state.h)  # [B, N, H]
        message = (prepared.topology.pair(sent, 0.0 * sent) + prepared.edge).relu()  # [B, N, N, H]
        return State(h=self.norm(state.h + prepared.topology.max_to_receiver(message)), e=state.e)
