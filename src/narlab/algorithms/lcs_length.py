"""Longest common subsequence (CLRS 15.4): the direction table, by rounds in which all cells are recomputed."""

import numpy as np

from narlab.algorithms.engine import (
    Algorithm,
    Defect,
    Validity,
    compiled,
    in_place,
    jitted,
    of_sample,
    records,
)
from narlab.algorithms.engine.checking import check_strings
from narlab.algorithms.engine.validity import relative_gap
from narlab.algorithms.sampling.strings import LETTERS, pair
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("string", Location.NODE, Type.MASK, meaning=Meaning.STRING),
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS_OF_STRINGS),
    Probe.input("key", Location.NODE, Type.CATEGORICAL, categories=LETTERS, meaning=Meaning.LETTER),
    Probe.output(
        "b",
        Location.EDGE,
        Type.CATEGORICAL,
        categories=4,
        meaning="of a letter of each string, where the longest common subsequence goes on: both, up or left",
    ),
    Probe.hint("pred_h", Location.NODE, Type.POINTER, meaning=Meaning.TWO_INDEX_ORDERS),
    Probe.hint("b_h", Location.EDGE, Type.CATEGORICAL, categories=4, meaning="the same, as far as it is known"),
    Probe.hint(
        "c",
        Location.EDGE,
        Type.SCALAR,
        meaning="the length of the longest common subsequence up to these two letters, as far as it is known",
    ),
)
Inputs, Outputs, Hints = records(__name__, PROBES)

DIAGONAL, UP, LEFT, BLANK = range(4)
NO_SUBSEQUENCE = -1


@jitted
def place(b, directions):
    """Write the table `b` of the strings' letters as categories of node pairs; pairs outside of it are masked."""
    rows, columns = b.shape
    for u in range(rows + columns):
        start = rows if u < rows else rows + columns
        for v in range(start):
            directions[u, v, BLANK] = -1
        for v in range(start, rows + columns):
            directions[u, v, b[u, v - rows]] = 1


@jitted
def probe(hints, t, b, c):
    """Write row t, if rows are wanted; return the number of rows so far."""
    if t < len(hints.c):
        rows, columns = c.shape
        for u in range(rows + columns):
            hints.pred_h[t, u] = u if u == 0 or u == rows else u - 1
        for i in range(rows):
            for j in range(columns):
                hints.c[t, i, rows + j] = c[i, j]
        place(b, hints.b_h[t])
    return t + 1


@jitted
def borders(x, y, b, c):
    """Fill the first column and the first row of the tables."""
    for i in range(len(x)):
        c[i, 0] = x[i] == y[0] or (i > 0 and c[i - 1, 0] == 1)
        b[i, 0] = DIAGONAL if x[i] == y[0] else UP
    for j in range(len(y)):
        c[0, j] = x[0] == y[j] or (j > 0 and c[0, j - 1] == 1)
        b[0, j] = DIAGONAL if x[0] == y[j] else LEFT if c[0, j] == 1 else UP


@jitted
def lcs_length(x, y, hints):
    """Return the direction table of the strings `x` and `y`, and the number of rounds."""
    b, c = np.zeros((len(x), len(y)), np.int8), np.zeros((len(x), len(y)))
    borders(x, y, b, c)
    t, changed = 0, True
    while changed:
        t = probe(hints, t, b, c)  # probe
        changed = False
        for i in range(len(x) - 1, 0, -1):  # from the end: a round reads the lengths of the round before
            for j in range(len(y) - 1, max(t - i, 0), -1):  # cells with i + j <= t are final already
                before = c[i, j]
                if x[i] == y[j]:
                    c[i, j], b[i, j] = c[i - 1, j - 1] + 1, DIAGONAL
                elif c[i - 1, j] >= c[i, j - 1]:
                    c[i, j], b[i, j] = c[i - 1, j], UP
                else:
                    c[i, j], b[i, j] = c[i, j - 1], LEFT
                changed |= c[i, j] != before
    return b, t


@jitted
def letters(key):
    """The letter of each node, [N], from its one-hot code."""
    letter = np.zeros(len(key), np.int8)
    for u in range(len(key)):
        for k in range(key.shape[1]):
            if key[u, k]:
                letter[u] = k
    return letter


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        letter, second = letters(inputs.key[b]), np.argmax(inputs.string[b])
        directions, lengths[b] = lcs_length(letter[:second], letter[second:], of_sample(hints, b))
        place(directions, outputs.b[b])


@in_place
def fill_lengths(x, y, c):
    """Fill `c`: c[i, j] is the length of a longest common subsequence of the first i letters of x and j of y."""
    for i in range(len(x)):
        for j in range(len(y)):
            c[i + 1, j + 1] = c[i, j] + 1 if x[i] == y[j] else max(c[i, j + 1], c[i + 1, j])


@in_place
def direction(b, i, j):
    """The direction of the pair of nodes i and j."""
    for d in range(BLANK):
        if b[i, j, d] == 1:
            return d
    return BLANK


@in_place
def follow(x, y, b):
    """The number of letters that the directions collect from the last cell on, or NO_SUBSEQUENCE.

    The way ends where it leaves the table; it must not be blank, nor collect letters that differ.
    """
    i, j, length = len(x) - 1, len(y) - 1, 0
    while i >= 0 and j >= 0:
        d = direction(b, i, len(x) + j)
        if d == BLANK or (d == DIAGONAL and x[i] != y[j]):
            return NO_SUBSEQUENCE
        length += d == DIAGONAL
        i, j = i - (d != LEFT), j - (d != UP)
    return length


@in_place
def is_right(x, y, c, i, j, d):
    """Whether a longest common subsequence of the letters up to i and j is found by going on in direction d."""
    if d == DIAGONAL:
        return x[i] == y[j]
    return (d == UP and c[i, j + 1] == c[i + 1, j + 1]) or (d == LEFT and c[i + 1, j] == c[i + 1, j + 1])


@compiled
def judge(inputs, outputs, verdicts):
    n = inputs.string.shape[1]
    c = np.zeros((n, n), np.int64)
    for b in range(len(verdicts.valid)):
        letter, rows = letters(inputs.key[b]), np.argmax(inputs.string[b])
        x, y, table, right = letter[:rows], letter[rows:], outputs.b[b], verdicts.elements.b[b]
        fill_lengths(x, y, c)
        length, longest = follow(x, y, table), c[len(x), len(y)]
        verdicts.valid[b] = length == longest
        verdicts.gap[b] = relative_gap(longest - length, longest) if length != NO_SUBSEQUENCE else np.inf
        right[:] = True
        for i in range(len(x)):
            for j in range(len(y)):
                right[i, rows + j] = verdicts.valid[b] or is_right(x, y, c, i, j, direction(table, i, rows + j))


def defects(inputs, outputs):
    letter, rows = inputs["key"].argmax(-1).tolist(), int(inputs["string"].argmax())
    x, y, c = letter[:rows], letter[rows:], np.zeros((len(letter), len(letter)), int)
    fill_lengths.py_func(x, y, c)
    i, j, found = len(x) - 1, len(y) - 1, []
    while i >= 0 and j >= 0:
        d = direction.py_func(outputs["b"], i, rows + j)
        if not is_right.py_func(x, y, c, i, j, d):
            wrong = {
                DIAGONAL: f"matches the letters {x[i]} and {y[j]}, which differ",
                UP: f"goes up, where {c[i, j + 1]} letters are common, not {c[i + 1, j + 1]}",
                LEFT: f"goes left, where {c[i + 1, j]} letters are common, not {c[i + 1, j + 1]}",
                BLANK: "has no direction",
            }
            found.append(Defect(f"pair {i}, {rows + j} {wrong[d]}", (i, rows + j), ((i, rows + j),)))
        if d == BLANK:
            break
        i, j = i - (d != LEFT), j - (d != UP)
    return found


def outside(inputs):
    """The pairs that are not of a letter of the first string and one of the second."""
    second = inputs["string"] == 1
    return {"b": ~(~second[:, :, None] & second[:, None, :])}


VALIDITY = Validity(
    judge=judge,
    defects=defects,
    rule="the directions from the last pair on match only equal letters, and as many as possible",
    theorem="optimal substructure of an LCS (CLRS theorem 15.1), and its length by the recurrence of 15.4",
    ties="any way that finds a longest common subsequence; pairs that it does not visit don't count",
    elements="the pair's direction leads on to an LCS of the prefixes up to it, visited or not; in a valid answer, and "
    "outside of the strings' table, no pair is wrong",
    value="the length of the common subsequence",
    masked=outside,
)


ALGORITHM = Algorithm(
    name="lcs_length",
    family="dynamic_programming",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=pair,
    run=run,
    lengths_at_16=(1, 12),
    check=check_strings,
    validity=VALIDITY,
)
