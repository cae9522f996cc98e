"""The tokens of 2WL, which are the edges of graphs, and the lines of their nodes.

A line is what begins or ends at a node; a token hears the lines of its two nodes.
"""

from typing import NamedTuple

import numpy as np

from narlab.common.compiling import compiled
from narlab.kernels.numerics import kernel

HEADS = 2
LANES = 8  # a line is padded to a multiple of this many keys, so that loops over keys are vector code alone


class Lines(NamedTuple):
    """The tokens of a batch and the lines of its nodes; tokens are counted within their graph, lines through all."""

    first: np.ndarray  # token of each graph, [B + 1]
    start: np.ndarray  # of each node's line in `member`, [B, N + 1]
    member: np.ndarray  # the tokens of the lines
    key: np.ndarray  # where a line's padded keys begin, within its graph, [B, N + 1]
    logit: np.ndarray  # where its logits begin, by head, token and key, [B, N + 1]
    node: np.ndarray  # the two nodes of a token, [E, 2]
    place: np.ndarray  # its places in their lines, [E, 2]; a self-loop has one, and -1
    reverse: np.ndarray  # the place of its reverse in the second line, [E]


@compiled
def lines_of(first, sender, receiver, nodes):
    """The lines of graphs whose tokens are given by their two nodes; the reverse of a token is always one, too."""
    graphs, count = len(first) - 1, len(sender)
    start, key, logit = [np.zeros((graphs, nodes + 1), np.int64) for _ in range(3)]
    member = np.zeros(2 * count, np.int32)
    node, place = np.empty((count, 2), np.int32), np.full((count, 2), -1, np.int32)
    reverse = np.full(count, -1, np.int32)
    where = np.full((nodes, nodes), -1, np.int32)
    filled = 0
    for b in range(graphs):
        for i in range(nodes):
            start[b, i] = filled
            for e in range(first[b], first[b + 1]):
                if sender[e] == i or receiver[e] == i:
                    member[filled] = e - first[b]
                    place[e, 0 if sender[e] == i else 1] = filled - start[b, i]
                    filled += 1
            length = filled - start[b, i]
            padded = (length + LANES - 1) // LANES * LANES
            key[b, i + 1] = key[b, i] + padded
            logit[b, i + 1] = logit[b, i] + HEADS * length * padded
        start[b, nodes] = filled
        for e in range(first[b], first[b + 1]):
            node[e, 0], node[e, 1] = sender[e], receiver[e]
            where[sender[e], receiver[e]] = e
        for e in range(first[b], first[b + 1]):
            reverse[e] = place[where[receiver[e], sender[e]], 0]  # it begins where this token ends
    return Lines(first, start, member[:filled].copy(), key, logit, node, place, reverse)


@kernel
def line_of(lines, b, i):
    return lines.member[lines.start[b, i] : lines.start[b, i + 1]]


@kernel
def keys_of(lines, b, i, keys):
    return keys[lines.key[b, i] : lines.key[b, i + 1]]


@kernel
def of_line(values, lines, b, i):
    """The logits, or weights, of a node's line: [heads L, L padded]."""
    length, padded = lines.start[b, i + 1] - lines.start[b, i], lines.key[b, i + 1] - lines.key[b, i]
    return values[lines.logit[b, i] : lines.logit[b, i + 1]].reshape(HEADS * length, padded)


@kernel
def row_of(values, lines, b, place, head):
    """The logits, or weights, of a token in one of its two lines; `place` is the line's node and the place in it."""
    i, k = place
    length, padded = lines.start[b, i + 1] - lines.start[b, i], lines.key[b, i + 1] - lines.key[b, i]
    begin = lines.logit[b, i] + (head * length + k) * padded
    return values[begin : begin + padded]
