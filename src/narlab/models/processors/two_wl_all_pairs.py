"""2WL on all pairs, as the paper's released code has it: the same as `two_wl` where the task has no graph."""

from narlab.models.pair_attention import PairAttention


class Processor(PairAttention):
    """See `PairAttention` for the formula. Pairs that are no edge see all tokens alike, and no edge sees them."""

    strangers_are_tokens = True
