"""When the answer of a sort is valid: one judge for all sorts, because they answer one question."""

import numpy as np

from narlab.algorithms.engine.validity import Arrays, Defect, Validity, cycles, number
from narlab.common.compiling import compiled, in_place


@in_place
def is_chain(pred, successor):
    """Whether the pointers make one chain of all nodes, whose first one points to itself; `successor` is room, [N]."""
    successor[:] = -1
    first = -1
    for v in range(len(pred)):
        u = pred[v]
        if u == v and first == -1:
            first = v
        elif u == v or successor[u] != -1:
            return False
        else:
            successor[u] = v
    length, v = 0, first
    while v != -1:
        length, v = length + 1, successor[v]
    return length == len(pred)


@in_place
def is_ascending(key, pred):
    """Whether no node has a smaller key than the one before it."""
    for v in range(len(pred)):
        if key[pred[v]] > key[v]:
            return False
    return True


@in_place
def may_precede(key, u, v):
    """Whether u may stand right before v, or v at the front if u is v: no key lies between theirs."""
    lower = key[u] if u != v else -np.inf
    if lower > key[v]:
        return False
    for w in range(len(key)):
        if lower < key[w] < key[v]:
            return False
    return True


@compiled
def judge(inputs, outputs, verdicts):
    successor = np.zeros(outputs.pred.shape[1], np.int64)
    for b in range(len(verdicts.valid)):
        key, pred = inputs.key[b], outputs.pred[b]
        valid = is_chain(pred, successor) and is_ascending(key, pred)
        verdicts.valid[b] = valid
        for v in range(len(key)):
            verdicts.elements.pred[b, v] = valid or may_precede(key, pred[v], v)


def defects(inputs: Arrays, outputs: Arrays) -> list[Defect]:
    key, pred = inputs["key"], outputs["pred"]
    return [*broken_links(pred.tolist()), *cycles(pred), *descents(key.tolist(), pred.tolist())]


def broken_links(pred: list[int]) -> list[Defect]:
    """No first node or several, and nodes that several others follow."""
    nodes, found = range(len(pred)), []
    heads = tuple(v for v in nodes if pred[v] == v)
    if not heads:
        found.append(Defect("no node points to itself, so that there is no first one"))
    if len(heads) > 1:
        found.append(Defect(f"several nodes point to themselves, but only one is the first: {listing(heads)}", heads))
    for u in nodes:
        followers = tuple(v for v in nodes if pred[v] == u != v)
        if len(followers) > 1:
            arcs = tuple((u, v) for v in followers)
            found.append(Defect(f"several nodes point to {u}: {listing(followers)}", (u, *followers), arcs))
    return found


def descents(key: list[float], pred: list[int]) -> list[Defect]:
    """The nodes that follow a larger key."""
    return [
        Defect(f"node {v} with key {number(key[v])} follows {u} with key {number(key[u])}", (v, u), ((u, v),))
        for v, u in enumerate(pred)
        if key[u] > key[v]
    ]


def listing(nodes: tuple[int, ...]) -> str:
    return ", ".join(map(str, nodes))


SORTED = Validity(
    judge=judge,
    defects=defects,
    rule="the pointers make one chain of all nodes, from a node that points to itself, along which no key falls",
    theorem="the sorting problem (CLRS 1.1, 2.1): a permutation of the keys in which each is at most the next",
    ties="equal keys may stand in any order; keys are compared as they are, without tolerance",
    elements="no key lies between the node's and that of the node it points to; a node that points to itself has the "
    "least key",
    value=None,
)
