"""Which pairs of nodes a processor works on."""

from enum import StrEnum


class Pairs(StrEnum):
    """A is the adjacency of the encoded probes: self-loops, edge masks and node pointers, both ways."""

    ALL = "all pairs"
    GRAPH = "A if the task has a graph, else all pairs"
    ADJACENCY = "A always"


def joined(first: Pairs, second: Pairs) -> Pairs:
    """What a hybrid of two processors sees."""
    return first if first is second else Pairs.GRAPH
