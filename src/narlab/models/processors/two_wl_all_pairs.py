"""2WL on all pairs, as the paper's released code has it: the same as `two_wl` where the task has no graph."""

from narlab.models.processors._pair_attention import PairAttention


class Processor(PairAttention):
    """x_ij = P [node_i ; node_j ; graph ; edge_ij ; e_ij], x += MHA(LN x), x += D2 gelu(D1 LN x), e' = x, h'_i = x_ii.

    A token (i, j) attends to those that share a node with it. Pairs that are no edge see all tokens alike, and no edge
    sees them. See `PairAttention`, and the paper's released code (https://arxiv.org/abs/2211.00692).

    >>> import narlab
    >>> model = narlab.models.build("bfs", processor="two_wl_all_pairs", hidden=8, depth=2)
    >>> batch = narlab.models.make_batch(narlab.data.custom("bfs", n=4, count=2))
    >>> model(batch).outputs["pi"].shape
    torch.Size([2, 4, 4])
    """

    non_edges_are_tokens = True
