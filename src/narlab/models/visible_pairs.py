"""Which pairs of nodes a processor works on."""

from enum import StrEnum


class VisiblePairs(StrEnum):
    """A is the adjacency of the encoded probes: self-loops, edge masks and node pointers, both ways."""

    ALL = "all pairs"
    GRAPH = "A if the task has a graph, else all pairs"
    ADJACENCY = "A always"
