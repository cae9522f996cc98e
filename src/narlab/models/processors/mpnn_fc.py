"""MPNN-FC: message passing over all pairs, whatever the graph."""

from narlab.models.message_passing import MessagePassing
from narlab.models.pairs import Pairs


class Processor(MessagePassing):
    """See `MessagePassing` for the formula."""

    pairs = Pairs.ALL
