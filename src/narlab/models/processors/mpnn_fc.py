"""MPNN-FC: message passing over all pairs, whatever the graph."""

from narlab.models.processors._message_passing import MessagePassing
from narlab.models.topology import VisiblePairs


class Processor(MessagePassing):
    """h'_j = LN(relu(O1 z_j + O2 max_i m_ij)), where z_i = [node_i ; h_i],

    m_ij = W2 relu(W1 relu(M1 z_j + M2 z_i + Me edge_ij + Mg graph)), and the maximum runs over
    all nodes i. See `MessagePassing`, and https://arxiv.org/abs/2205.15659.

    >>> import narlab
    >>> model = narlab.models.build("bfs", processor="mpnn_fc", hidden=8, depth=2)
    >>> batch = narlab.models.make_batch(narlab.data.custom("bfs", n=4, count=2))
    >>> model(batch).outputs["pi"].shape
    torch.Size([2, 4, 4])
    """

    pairs = VisiblePairs.ALL
