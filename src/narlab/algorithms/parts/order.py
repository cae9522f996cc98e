"""Pointers that tell the order of nodes in an array, and sorting by one key or two."""

import numpy as np

from narlab.common.compiling import in_place, jitted

FEW = 64


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


@jitted
def stable_order(keys):
    """The places of `keys` in ascending order, equal ones as they stand; numba's own takes two seconds to compile."""
    return order_of_few(keys) if len(keys) <= FEW else order_of_many(keys)


@jitted
def order_of_few(keys):
    """By counting for each key those that come before it: many comparisons, but none that has to be guessed."""
    order = np.empty(len(keys), np.int64)
    for v in range(len(keys)):
        rank = 0
        for u in range(v):
            rank += keys[u] <= keys[v]
        for u in range(v + 1, len(keys)):
            rank += keys[u] < keys[v]
        order[rank] = v
    return order


@jitted
def order_of_many(keys):
    """By merging runs of 1, 2, 4, ..."""
    n = len(keys)
    order, merged = np.arange(n), np.arange(n)
    run = 1
    while run < n:
        for start in range(0, n, 2 * run):
            middle, stop = min(start + run, n), min(start + 2 * run, n)
            left, right = start, middle
            for k in range(start, stop):
                if right == stop or (left < middle and keys[order[left]] <= keys[order[right]]):
                    merged[k], left = order[left], left + 1
                else:
                    merged[k], right = order[right], right + 1
        order, merged = merged, order
        run *= 2
    return order


@in_place
def sort_by_two(first, second, order):
    """Fill `order` with the nodes in ascending order of `first`, equal ones in that of `second`."""
    for v in range(len(order)):
        k = v
        while k > 0:
            u = order[k - 1]
            if first[u] < first[v] or (first[u] == first[v] and second[u] <= second[v]):
                break
            order[k], k = u, k - 1
        order[k] = v
