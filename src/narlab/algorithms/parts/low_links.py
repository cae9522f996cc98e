"""The depth-first traversal of an undirected graph with times and low-links, for its cut vertices and bridges."""

from collections import namedtuple

import numpy as np

from narlab.algorithms.parts.depth_first import CLOSE, LOOK, OPEN, PUSH, following
from narlab.common.compiling import in_place, jitted

Links = namedtuple("Links", "parent, d, f, low")  # low: the earliest node that a node's subtree has an edge to


@jitted
def new_links(n):
    return Links(np.arange(n), np.zeros(n), np.zeros(n), np.zeros(n))


@in_place
def following_link(event, A, walk, links, time):
    """Go on to the next event, looks back at the parent left out, and note it in `links`; return it and the time."""
    parent, d, f, low = links
    while True:
        event = following(event, A, walk, True)
        kind, _, _, u, v, _ = event
        if kind != LOOK or v != parent[u]:
            break
    if kind == OPEN:
        time += 0.01
        d[u] = low[u] = time
    elif kind == PUSH:
        parent[v] = u
    elif kind == LOOK:
        low[u] = min(low[u], d[v])
    elif kind == CLOSE:
        time += 0.01
        f[u] = time
        for child in range(len(A)):
            if parent[child] == u:
                low[u] = min(low[u], low[child])
    return event, time


@in_place
def show(hints, t, event, walk, links, time):
    """Write what both algorithms show of the traversal to row t."""
    _, _, s, u, v, top = event
    for w in range(len(walk.color)):
        hints.pi_h[t, w] = links.parent[w]
        hints.color[t, w, walk.color[w]] = 1
        hints.d[t, w] = links.d[w]
        hints.f[t, w] = links.f[w]
        hints.low[t, w] = links.low[w]
        hints.s_prev[t, w] = walk.s_prev[w]
    hints.s[t, s] = hints.u[t, u] = hints.v[t, v] = hints.s_last[t, top] = 1
    hints.time[t] = time
