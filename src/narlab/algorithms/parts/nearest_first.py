"""A tree that grows from a source by the nearest node of a queue: what Prim's and Dijkstra's algorithms share."""

from collections import namedtuple

import numpy as np

from narlab.common.compiling import in_place, jitted

NOBODY = -1

Tree = namedtuple("Tree", "parent, key, mark, in_queue")  # of each node; key: how near it is, mark: whether it is done


@jitted
def new_tree(n, source):
    """Only `source` is in the queue; all nodes point to themselves."""
    tree = Tree(np.arange(n), np.zeros(n), np.zeros(n, np.bool_), np.zeros(n, np.bool_))
    tree.in_queue[source] = True
    return tree


@in_place
def extract_nearest(tree):
    """Take the node with the least key out of the queue and return it, or nobody."""
    nearest, least = NOBODY, np.inf
    for v in range(len(tree.key)):
        if tree.in_queue[v] & (tree.key[v] < least):
            nearest, least = v, tree.key[v]
    if nearest != NOBODY:
        tree.mark[nearest], tree.in_queue[nearest] = True, False
    return nearest


@in_place
def improves(tree, v, key):
    """Whether `v` is not done and has no key as good as this one."""
    return (not tree.mark[v]) & ((not tree.in_queue[v]) | (key < tree.key[v]))


@in_place
def attach(tree, u, v, key):
    """Let `u` be the parent of `v`, with that key."""
    tree.parent[v], tree.key[v], tree.in_queue[v] = u, key, True


@in_place
def probe(hints, t, tree, u):
    """Write row t, if rows are wanted; return the number of rows so far."""
    pi_h, key, mark, in_queue, u_h = hints
    if t < len(u_h):
        for v in range(len(tree.key)):
            pi_h[t, v] = tree.parent[v]
            key[t, v] = tree.key[v]
            mark[t, v] = tree.mark[v]
            in_queue[t, v] = tree.in_queue[v]
        u_h[t, u] = 1
    return t + 1
