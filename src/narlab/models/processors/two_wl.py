"""2WL: attention among the edges of the graph, self-loops included, or among all pairs where the task has no graph."""

from narlab.models.kernels.pair_attention import PairAttentionKernel
from narlab.models.processors._pair_attention import PairAttention


class Processor(PairAttention):
    """x_ij = P [node_i ; node_j ; graph ; edge_ij ; e_ij], x += MHA(LN x), x += D2 gelu(D1 LN x), e' = x, h'_i = x_ii.

    A token (i, j) attends to those that share a node with it. Pairs that are no edge are no tokens: their edge state
    stays zero. See `PairAttention`, and the paper (https://arxiv.org/abs/2211.00692).

    >>> import narlab
    >>> model = narlab.models.build("bfs", processor="two_wl", hidden=8, depth=2)
    >>> batch = narlab.models.make_batch(narlab.data.custom("bfs", n=4, count=2))
    >>> model(batch).outputs["pi"].shape
    torch.Size([2, 4, 4])
    """

    non_edges_are_tokens = False
    kernel = PairAttentionKernel
