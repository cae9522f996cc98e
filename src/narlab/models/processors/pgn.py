"""PGN: message passing along the graph and the pointers; without either, each node hears only itself."""

from narlab.models.message_passing import MessagePassing
from narlab.models.pairs import Pairs


class Processor(MessagePassing):
    """See `MessagePassing` for the formula."""

    pairs = Pairs.ADJACENCY
