"""The iterative depth-first traversal that six algorithms of the benchmark share, one event at a time."""

from collections import namedtuple

import numpy as np

from narlab.common.compiling import in_place, jitted

START, OPEN, PUSH, LOOK, CLOSE, END = range(6)
WHITE, GREY, BLACK = range(3)

Event = namedtuple("Event", "kind, k, s, u, v, top")  # the k-th start s, the current node u, its neighbour v, the stack
Walk = namedtuple("Walk", "starts, color, s_prev, opened")  # where to start; each node's colour, stack link and flag

BEGIN = Event(CLOSE, -1, 0, 0, 0, 0)  # as if a root had been closed: the first start comes next


@jitted
def new_walk(n, starts, reopen):
    """A traversal from each of `starts` that is still white; with `reopen`, pushed nodes get an event OPEN, too."""
    return Walk(starts, np.zeros(n, np.int64), np.arange(n), np.full(n, not reopen))


@in_place
def following(event, A, walk, looks):
    """Go on to the next event: a START at the next white node, OPEN, PUSH, CLOSE, or the END.

    With `looks`, each neighbour that has a colour already is an event LOOK, and a parent's scan begins anew after each
    child. The stack is popped only after the event CLOSE.
    """
    kind, k, s, u, v, top = event
    starts, color, s_prev, opened = walk
    if kind == CLOSE and s_prev[u] == u:  # a root: its tree is complete
        k += 1
        while k < len(starts) and color[starts[k]] != WHITE:
            k += 1
        if k < len(starts):
            s = u = v = top = starts[k]
        kind = START if k < len(starts) else END
    else:
        first = v + 1 if kind == LOOK else 0
        if kind == CLOSE:
            if not looks:
                first = u + 1  # all neighbours up to the child have a colour: to scan them again would change nothing
            top, s_prev[u] = s_prev[u], u
        u = v = top
        if color[u] == WHITE or not opened[u]:
            color[u] = GREY
            opened[u] = True
            kind = OPEN
        else:
            v = first
            while v < len(A) and ((A[u, v] == 0) | ((color[v] != WHITE) & (not looks))):
                v += 1
            if v == len(A):
                color[u] = BLACK
                kind, v = CLOSE, v - 1
            elif color[v] == WHITE:
                color[v] = GREY
                s_prev[v] = u
                kind, top = PUSH, v
            else:
                kind = LOOK
    return Event(kind, k, s, u, v, top)
