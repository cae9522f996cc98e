"""2WL: attention among the edges of the graph, self-loops included, or among all pairs where the task has no graph."""

from narlab.models.fast.pair_attention import PairAttentionKernel
from narlab.models.pair_attention import PairAttention


class Processor(PairAttention):
    """See `PairAttention` for the formula. Pairs that are no edge are no tokens: their edge state stays zero."""

    strangers_are_tokens = False
    kernel = PairAttentionKernel
