"""A training step of a message-passing network as PyTorch Geometric's users write one."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, relu
from torch.nn.utils import clip_grad_norm_

from narlab import algorithms
from narlab.bench.cases import SEED, Case
from narlab.bench.processes import Workload
from narlab.models import Batch, make_batch
from narlab.specs import Location, Probe, Type


def training_step(case: Case) -> Workload:
    """A step on one batch without hints: encode, `depth` rounds of messages, point at nodes, Adam."""
    torch.manual_seed(SEED)
    algorithm, batch = algorithms.get(case.algorithm), make_batch(case.samples(), SEED)
    graphs, nodes = batch.size
    edges = batch.inputs["adj"] if algorithm.has_graph else torch.ones(graphs, nodes, nodes)
    graph, sender, receiver = edges.nonzero(as_tuple=True)
    edge_index = torch.stack([graph * nodes + sender, graph * nodes + receiver])  # [2, E]
    of_nodes = _inputs(algorithm.inputs, batch, Location.NODE).flatten(0, 1)  # [B * N, F]
    of_edges = _inputs(algorithm.inputs, batch, Location.EDGE)[graph, sender, receiver]  # [E, F']
    target = batch.outputs[_pointer(algorithm.outputs).name].flatten()  # [B * N]
    model = _network(of_nodes.shape[1], of_edges.shape[1], case.width)
    optimiser = torch.optim.Adam(model.parameters(), 1e-3)

    def run() -> None:
        optimiser.zero_grad()
        logits = model(of_nodes, of_edges, edge_index, (case.depth, nodes))
        cross_entropy(logits, target).backward()
        clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()

    run()
    return Workload(run, 0.0)


def _pointer(outputs: tuple[Probe, ...]) -> Probe:
    """The output that points from every node to one, which is what this network answers."""
    return next(probe for probe in outputs if probe.location is Location.NODE and probe.type is Type.POINTER)


def _inputs(probes: tuple[Probe, ...], batch: Batch, location: Location) -> Tensor:
    """All inputs of a location but pointers, and a constant, side by side: [B, N, F] or [B, N, N, F]."""
    graphs, nodes = batch.size
    shape = (graphs, nodes) if location is Location.NODE else (graphs, nodes, nodes)
    chosen = [probe.name for probe in probes if probe.location is location and probe.type is not Type.POINTER]
    return torch.cat([torch.ones(*shape, 1), *(batch.inputs[name].view(*shape, -1) for name in chosen)], -1)


def _network(node_features: int, edge_features: int, width: int) -> nn.Module:
    from torch_geometric.nn import MessagePassing

    class Mpnn(MessagePassing):
        """h'_j = LN(relu(O1 z_j + O2 max_i W2 relu(W1 relu(M1 z_i + M2 z_j + Me e_ij)))) with z = (x, h)."""

        def __init__(self) -> None:
            super().__init__(aggr="max")
            self.encode_nodes = nn.Linear(node_features, width)
            self.encode_edges = nn.Linear(edge_features, width)
            self.sender, self.receiver = nn.Linear(2 * width, width), nn.Linear(2 * width, width)
            self.edge = nn.Linear(width, width)
            self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
            self.own, self.inbox = nn.Linear(2 * width, width), nn.Linear(width, width)
            self.norm = nn.LayerNorm(width)
            self.query, self.key = nn.Linear(2 * width, width), nn.Linear(2 * width, width)

        def forward(self, x: Tensor, e: Tensor, edge_index: Tensor, sizes: tuple[int, int]) -> Tensor:
            """Scores of all nodes of the same graph, [B * N, N]; `sizes` are the depth and the nodes of a graph."""
            depth, nodes = sizes
            x, e = self.encode_nodes(x), self.edge(self.encode_edges(e))  # [B * N, H], [E, H]
            h = torch.zeros_like(x)
            for _ in range(depth):
                z = torch.cat([x, h], 1)
                inbox = self.propagate(edge_index, sender=self.sender(z), receiver=self.receiver(z), e=e)
                h = self.norm(relu(self.own(z) + self.inbox(inbox)))
            z = torch.cat([x, h], 1).view(-1, nodes, 2 * width)  # [B, N, 2H]
            return (self.query(z) @ self.key(z).mT).flatten(0, 1)

        def message(self, sender_j: Tensor, receiver_i: Tensor, e: Tensor) -> Any:
            return self.second(relu(self.first(relu(sender_j + receiver_i + e))))

    return Mpnn()
