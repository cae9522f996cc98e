"""MPNN-G: message passing along the graph, or over all pairs where the task has none."""

from narlab.models.message_passing import MessagePassing
from narlab.models.pairs import Pairs


class Processor(MessagePassing):
    """See `MessagePassing` for the formula."""

    pairs = Pairs.GRAPH
