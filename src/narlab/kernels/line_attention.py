"""Attention along lines, of one graph: what each token hears, and the way back."""

from typing import NamedTuple

import numpy as np

from narlab.kernels.lines import HEADS, keys_of, line_of, of_line, row_of
from narlab.kernels.numerics import ONE, ZERO, add_row, copy_row, exponential, flat, kernel, row_start


class Scratch(NamedTuple):
    """Arrays to work in, for the largest graph; K are the padded keys of all lines, L the longest line."""

    normal: np.ndarray  # [E, H]
    query: np.ndarray  # [E, heads H]
    out: np.ndarray  # [E, H]
    keys: np.ndarray  # [K, H]
    queries: np.ndarray  # [heads L, H]
    answers: np.ndarray  # [heads L, H]
    line: np.ndarray  # [L padded, H]
    d_attention: np.ndarray  # [largest]
    d_normal: np.ndarray  # [E, H]
    d_query: np.ndarray  # [E, heads H]
    d_heard: np.ndarray  # [E, heads H]
    zeros: np.ndarray  # [heads H]
    unbounded: np.ndarray  # minus infinity, [heads H]


@kernel
def scratch_for(lines, hidden):
    tokens, length = 0, 0
    for b in range(len(lines.first) - 1):
        tokens = max(tokens, lines.first[b + 1] - lines.first[b])
        for i in range(lines.start.shape[1] - 1):
            length = max(length, lines.key[b, i + 1] - lines.key[b, i])
    return Scratch(
        np.empty((tokens, hidden), np.float32),
        np.empty((tokens, HEADS * hidden), np.float32),
        np.empty((tokens, hidden), np.float32),
        np.empty((lines.key[:, -1].max(), hidden), np.float32),
        np.empty((HEADS * length, hidden), np.float32),
        np.empty((HEADS * length, hidden), np.float32),
        np.empty((length, hidden), np.float32),
        np.empty(lines.logit[:, -1].max(), np.float32),
        np.empty((tokens, hidden), np.float32),
        np.empty((tokens, HEADS * hidden), np.float32),
        np.empty((tokens, HEADS * hidden), np.float32),
        np.zeros(HEADS * hidden, np.float32),
        np.full(HEADS * hidden, -np.inf, np.float32),
    )


@kernel
def gather_keys(lines, b, x, keys):
    """The rows of every line's tokens, padded with zeros."""
    hidden = np.uint64(x.shape[1])
    source, target = flat(x), flat(keys)
    for i in range(lines.start.shape[1] - 1):
        begin, end = lines.start[b, i], lines.start[b, i + 1]
        for k in range(begin, end):
            copy_row(
                source,
                row_start(lines.member[k], hidden),
                target,
                row_start(lines.key[b, i] + k - begin, hidden),
                hidden,
            )
        for k in range(lines.key[b, i] + end - begin, lines.key[b, i + 1]):
            for f in range(hidden):
                target[row_start(k, hidden) + f] = ZERO


@kernel
def gather_heads(x, members, out):
    """The rows [heads H] of members as heads L rows [H], one head after the other."""
    length, hidden = len(members), out.shape[1]
    source, target = flat(x), flat(out)
    for head in range(HEADS):
        for k in range(length):
            copy_row(
                source,
                row_start(HEADS * members[k] + head, hidden),
                target,
                row_start(head * length + k, hidden),
                hidden,
            )


@kernel
def add_heads(answers, members, x):
    """The way back of `gather_heads`, added up."""
    length, hidden = len(members), answers.shape[1]
    source, target = flat(answers), flat(x)
    for head in range(HEADS):
        for k in range(length):
            add_row(
                source,
                row_start(head * length + k, hidden),
                target,
                row_start(HEADS * members[k] + head, hidden),
                hidden,
            )


@kernel
def add_lines(line, members, x):
    hidden = x.shape[1]
    source, target = flat(line), flat(x)
    for k in range(len(members)):
        add_row(source, row_start(k, hidden), target, row_start(members[k], hidden), hidden)


@kernel
def largest_of(row, length, top):
    """The largest of `length` logits and `top`; what stands behind them is set to the first, to be no larger."""
    for k in range(length, len(row)):
        row[k] = row[0]
    for k in range(len(row)):
        top = row[k] if not (row[k] <= top) else top
    return top


@kernel
def raise_all(row, length, top):
    """Turn `length` logits into powers of e against `top`, and what stands behind them into zeros."""
    for k in range(len(row)):
        row[k] = exponential(row[k] - top)
    for k in range(length, len(row)):
        row[k] = ZERO


@kernel
def sum_of(row):
    total = ZERO
    for k in range(len(row)):
        total += row[k]
    return total


@kernel
def scale_by(row, factor):
    for k in range(len(row)):
        row[k] *= factor


@kernel
def softmax(lines, b, values):
    """Turn the logits of all lines into weights; a token that stands in both lines of another is heard once."""
    for token in range(lines.first[b], lines.first[b + 1]):
        i, j = lines.node[token]
        length, other_length = lines.start[b, i + 1] - lines.start[b, i], lines.start[b, j + 1] - lines.start[b, j]
        for head in range(HEADS):
            row = row_of(values, lines, b, (i, lines.place[token, 0]), head)
            top = largest_of(row, length, row[0])
            if i == j:
                raise_all(row, length, top)
                scale_by(row, ONE / sum_of(row))
                continue
            other = row_of(values, lines, b, (j, lines.place[token, 1]), head)
            top = largest_of(other, other_length, top)
            raise_all(row, length, top)
            raise_all(other, other_length, top)
            other[lines.place[token, 1]] = ZERO
            other[lines.reverse[token]] = ZERO
            inverse = ONE / (sum_of(row) + sum_of(other))
            scale_by(row, inverse)
            scale_by(other, inverse)


@kernel
def attend(lines, b, attention, heard, scratch):
    """What each token hears, [E, heads H], from scratch.normal and scratch.query; the weights go to `attention`."""
    gather_keys(lines, b, scratch.normal, scratch.keys)
    for i in range(lines.start.shape[1] - 1):
        members = line_of(lines, b, i)
        length = len(members)
        gather_heads(scratch.query, members, scratch.queries)
        keys, logits = keys_of(lines, b, i, scratch.keys), of_line(attention, lines, b, i)
        for head in range(HEADS):
            rows = slice(head * length, (head + 1) * length)
            np.dot(scratch.queries[rows], keys.T, logits[rows])
    softmax(lines, b, attention)
    heard[:] = ZERO
    for i in range(lines.start.shape[1] - 1):
        members = line_of(lines, b, i)
        answers = scratch.answers[: HEADS * len(members)]
        np.dot(of_line(attention, lines, b, i), keys_of(lines, b, i, scratch.keys), answers)
        add_heads(answers, members, heard)


@kernel
def product(row, other):
    total = ZERO
    for k in range(len(row)):
        total += row[k] * other[k]
    return total


@kernel
def weigh(weights, d_row, along):
    for k in range(len(d_row)):
        d_row[k] = weights[k] * (d_row[k] - along)


@kernel
def softmax_backward(lines, b, weights, d_weights):
    """Turn the gradients of all weights into those of their logits."""
    for token in range(lines.first[b], lines.first[b + 1]):
        i, j = lines.node[token]
        first, second = (i, lines.place[token, 0]), (j, lines.place[token, 1])
        for head in range(HEADS):
            row, d_row = row_of(weights, lines, b, first, head), row_of(d_weights, lines, b, first, head)
            if i == j:
                weigh(row, d_row, product(row, d_row))
                continue
            other, d_other = row_of(weights, lines, b, second, head), row_of(d_weights, lines, b, second, head)
            along = product(row, d_row) + product(other, d_other)
            weigh(row, d_row, along)
            weigh(other, d_other, along)


@kernel
def attend_backward(lines, b, attention, scratch):
    """From the scratch's `d_heard`, add to its `d_normal` and `d_query`; `normal` and `query` are those of the step."""
    gather_keys(lines, b, scratch.normal, scratch.keys)
    for i in range(lines.start.shape[1] - 1):
        members = line_of(lines, b, i)
        length = len(members)
        keys, d_weights = keys_of(lines, b, i, scratch.keys), of_line(scratch.d_attention, lines, b, i)
        answers, line = scratch.answers[: HEADS * length], scratch.line[: len(keys)]
        gather_heads(scratch.d_heard, members, answers)
        for head in range(HEADS):
            rows = slice(head * length, (head + 1) * length)
            np.dot(answers[rows], keys.T, d_weights[rows])
        np.dot(of_line(attention, lines, b, i).T, answers, line)
        add_lines(line, members, scratch.d_normal)
    softmax_backward(lines, b, attention, scratch.d_attention)
    for i in range(lines.start.shape[1] - 1):
        members = line_of(lines, b, i)
        keys, d_logits = keys_of(lines, b, i, scratch.keys), of_line(scratch.d_attention, lines, b, i)
        queries, answers = scratch.queries[: HEADS * len(members)], scratch.answers[: HEADS * len(members)]
        line = scratch.line[: len(keys)]
        gather_heads(scratch.query, members, queries)
        np.dot(d_logits, keys, answers)
        add_heads(answers, members, scratch.d_query)
        np.dot(d_logits.T, queries, line)
        add_lines(line, members, scratch.d_normal)
