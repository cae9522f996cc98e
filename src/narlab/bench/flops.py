"""How much arithmetic a training step or an evaluation is: the matrix products that are really done.

PyTorch's are counted as they run. Those of the compiled kernels follow from the shapes, for one graph and one step of
width H, each product of [a, b] with [b, c] as 2abc. What adds, compares or normalises is left out, and so are the map
of the few numbers that probes say of an edge (about 1 % at width 128), products over pivots, and the readouts' maps
of pairs and pointers.
"""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from narlab.kernels.lines import LANES
from narlab.kernels.messages import FEW, TILE
from narlab.models.batch import Batch
from narlab.models.encoders import adjacency
from narlab.models.kernels import AbstractKernel, kernel_of
from narlab.models.kernels.graph_attention import GraphAttentionKernel
from narlab.models.kernels.hybrid import HybridKernel
from narlab.models.kernels.message_passing import MessagePassingKernel, graphs_together
from narlab.models.kernels.pair_attention import PairAttentionKernel
from narlab.models.kernels.triangle import Lanes, TriangleKernel
from narlab.models.network import Network
from narlab.models.topology import Graphs


def by_pytorch(run: Callable[[], object]) -> float:
    """The products that PyTorch does in `run`, forward and backward."""
    with FlopCounterMode(display=False) as counter:
        run()
    return float(counter.get_total_flops())


def by_kernels(model: Network, batch: Batch, *, backward: bool) -> float:
    """The products that our kernels do for all graphs and steps; none where PyTorch does the work."""
    kernel = kernel_of(model.processor) if model.uses_kernels else None
    if kernel is None:
        return 0.0
    hidden, graphs = model.settings.hidden, model.graphs_of(batch)
    start = triangle_start(graphs.adjacency, hidden, backward=backward) if isinstance(kernel, TriangleKernel) else 0.0
    if not model.mode.needs_hints:
        return start + model.depth.of(batch.size[1]) * _of_step(kernel, graphs, hidden, backward)
    return start + sum(_of_step(kernel, told, hidden, backward) for told in _told(model, batch, graphs))


def _told(model: Network, batch: Batch, graphs: Graphs) -> Iterator[Graphs]:
    """The graphs at each step, with the edges that its hints tell of."""
    assert batch.hints is not None
    probes, nodes = model.hint_encoders.probes, batch.size[1]
    for t in range(max(next(iter(batch.hints.values())).shape[1] - 1, 1)):
        row = {probe.name: batch.hints[probe.name][:, t] for probe in probes}
        yield graphs.with_edges(adjacency(probes, row, nodes))


def _of_step(kernel: AbstractKernel, graphs: Graphs, hidden: int, backward: bool) -> float:
    if isinstance(kernel, HybridKernel):
        return sum(_of_step(part, graphs, hidden, backward) for part in (kernel.first, kernel.second))
    mask = graphs.topology(kernel.processor.pairs).mask
    mask = torch.ones_like(graphs.adjacency) if mask is None else mask
    known = {
        MessagePassingKernel: message_passing,
        GraphAttentionKernel: graph_attention,
        PairAttentionKernel: pair_attention,
        TriangleKernel: triangle,
    }
    return known[type(kernel)](mask, hidden, backward=backward) if type(kernel) in known else 0.0


def message_passing(mask: Tensor, hidden: int, *, backward: bool) -> float:
    """One step along the E edges of `mask` [B, N, N] among N nodes.

    Forward: sender, receiver and own part of each node, 6 N H^2; W1 and W2 of each edge, 4 E H^2; the inbox, 2 N H^2.
    Backward: W1 and its gradient, 4 E H^2; the nodes' parts, 12 N H^2; the inbox, 4 N H^2; W2 and its gradient, 4 H^2
    for each receiver, or for each edge where these are few.
    """
    edges, nodes = int(mask.sum()), mask.shape[0] * mask.shape[1]
    forward = 4 * edges + 8 * nodes
    return float((forward + (4 * edges + 16 * nodes + 4 * _rows_to_w2(mask) if backward else 0)) * hidden**2)


def graph_attention(mask: Tensor, hidden: int, *, backward: bool) -> float:
    """One step among N nodes: value, own part, sender and receiver of each, 2 N H (2H + 2); backward twice that.

    Attention itself is no matrix product.
    """
    forward = 2 * mask.shape[0] * mask.shape[1] * hidden * (2 * hidden + 2)
    return float(3 * forward if backward else forward)


def _rows_to_w2(mask: Tensor) -> int:
    """How many rows go back through W2: as many as a tile has receivers, whose winners share H of them, or edges."""
    rows = 0
    together = graphs_together(len(mask), int(mask.sum()) // len(mask))
    for degrees in mask.sum(1).reshape(-1, together * mask.shape[1]).tolist():  # by receiver, some graphs taken as one
        tiles: list[list[int]] = []
        for degree in degrees:
            if not tiles or sum(tiles[-1]) + degree > TILE:
                tiles.append([])
            tiles[-1].append(degree)
        rows += sum(sum(tile) if sum(tile) < FEW * len(tile) else len(tile) for tile in tiles)
    return rows


def pair_attention(mask: Tensor, hidden: int, *, backward: bool) -> float:
    """One step of the E tokens of `mask` [B, N, N]; node i's line, what begins or ends at it, has L_i of them.

    Two heads, each of width H. Lines are padded to P_i keys; S is the sum of L_i P_i.
    Forward: P, 2 E H^2; queries 4 E H^2; logits 4 S H; what is heard 4 S H; values 4 E H^2; the MLP 4 E H^2.
    Backward: twice that, 28 E H^2 + 16 S H, and the queries once more, 4 E H^2.
    """
    lines = mask.sum(1) + mask.sum(2) - mask.diagonal(dim1=1, dim2=2).int()  # [B, N]
    padded = (lines + LANES - 1) // LANES * LANES
    tokens, keys = int(mask.sum()), int((lines * padded).sum())
    forward = 14 * tokens * hidden**2 + 8 * keys * hidden
    return float(forward + (2 * forward + 4 * tokens * hidden**2 if backward else 0))


def triangle(mask: Tensor, hidden: int, *, backward: bool) -> float:
    """One step of all P pairs of N nodes, of which each has Y factors and W products, in whole lanes.

    Forward: the factors, 2 P H Y; what is mixed, 2 P (3H + W) 2H; the update, 8 P H^2; the counts, 64 N H.
    Backward: twice that, and the factors once more. Products over pivots are no matrix products.
    """
    lanes = Lanes(hidden)
    factors = 2 * hidden * len(lanes.of_factors)
    maps = factors + 4 * hidden * len(lanes.of_features) + 8 * hidden**2
    nodes = 64 * mask.shape[0] * mask.shape[1] * hidden
    forward = mask.numel() * maps + nodes
    return float(forward + (2 * forward + mask.numel() * factors if backward else 0))


def triangle_start(mask: Tensor, hidden: int, *, backward: bool) -> float:
    """What is made of P pairs before the first step: V values, I inputs with the closure's among them, S sums.

    Forward: the values, 2 P H V; the first state, 2 P (I 2H + 2 H^2); the sums, 2 P I S. Backward: twice that.
    """
    lanes = Lanes(hidden)
    values, inputs, sums = len(lanes.of_values), len(lanes.of_inputs), len(lanes.of_sums)
    forward = 2 * mask.numel() * (hidden * values + inputs * (2 * hidden + sums) + 2 * hidden**2)
    return float(3 * forward if backward else forward)
