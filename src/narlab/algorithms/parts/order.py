"""Pointers that tell the order of nodes in an array."""

from narlab.common.compiling import jitted


@jitted
def chain(order, pointers):
    """Let the first node of `order` point to itself and each other one to the node before it."""
    pointers[order[0]] = order[0]
    for k in range(1, len(order)):
        pointers[order[k]] = order[k - 1]


@jitted
def index_chain(pointers):
    """The chain of the nodes in the order of their index."""
    for k in range(len(pointers)):
        pointers[k] = max(k - 1, 0)
