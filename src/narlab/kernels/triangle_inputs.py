"""What the probes say of a pair, a_ik = node_i + node_k + graph + edge_ik, for a graph at a time, and the way back.

Pairs are rows, (i, k) is row i N + k.
"""

from typing import NamedTuple

import numpy as np

from narlab.kernels.lane_rows import add_lanes, clear_lanes, copy_lanes
from narlab.kernels.lanes import STEP, load, store
from narlab.kernels.numerics import flat, lean, row_start

_0 = np.uint64(0)


class Features(NamedTuple):
    """Those of all graphs, or their gradients."""

    node: np.ndarray  # [B, N, D]
    graph: np.ndarray  # [B, D]
    edge: np.ndarray  # [B, N N, D], or no pairs where no probe says anything of them


@lean
def pair_inputs(features, b, out):
    """a of all pairs of graph b."""
    nodes, width = features.node.shape[1], np.uint64(out.shape[1])
    node, graph, edge, target = flat(features.node), flat(features.graph), flat(features.edge), flat(out)
    of_graph, of_edges = row_start(b, width), row_start(b * nodes * nodes, width)
    for i in range(nodes):
        for k in range(nodes):
            first, second = row_start(b * nodes + i, width), row_start(b * nodes + k, width)
            row = row_start(i * nodes + k, width)
            for f in range(_0, width, STEP):
                total = load(node, first + f) + load(node, second + f)
                store(target, row + f, total + load(graph, of_graph + f))
    if features.edge.shape[1] > 0:
        add_lanes(edge, of_edges, target, _0, out.size)


@lean
def pair_inputs_backward(d_inputs, b, d_features):
    """Set the gradients of what graph b has from that of a."""
    nodes, width = d_features.node.shape[1], np.uint64(d_inputs.shape[1])
    given, d_node, d_graph = flat(d_inputs), flat(d_features.node), flat(d_features.graph)
    of_graph, of_nodes = row_start(b, width), row_start(b * nodes, width)
    clear_lanes(d_node, of_nodes, nodes * d_inputs.shape[1])
    clear_lanes(d_graph, of_graph, width)
    for i in range(nodes):
        for k in range(nodes):
            row = row_start(i * nodes + k, width)
            add_lanes(given, row, d_node, row_start(b * nodes + i, width), width)
            add_lanes(given, row, d_node, row_start(b * nodes + k, width), width)
            add_lanes(given, row, d_graph, of_graph, width)
    if d_features.edge.shape[1] > 0:
        copy_lanes(given, _0, flat(d_features.edge), row_start(b * nodes * nodes, width), d_inputs.size)
