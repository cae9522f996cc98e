"""Longest common subsequence (CLRS 15.4): the direction table, by rounds in which all cells are recomputed."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, jitted, of_sample, records
from narlab.algorithms.engine.checking import check_strings
from narlab.algorithms.sampling.strings import LETTERS, pair
from narlab.specs import Location, Probe, Type

PROBES = (
    Probe.input("string", Location.NODE, Type.MASK),
    Probe.input("pos", Location.NODE, Type.SCALAR),
    Probe.input("key", Location.NODE, Type.CATEGORICAL, categories=LETTERS),
    Probe.output("b", Location.EDGE, Type.CATEGORICAL, categories=4),
    Probe.hint("pred_h", Location.NODE, Type.POINTER),
    Probe.hint("b_h", Location.EDGE, Type.CATEGORICAL, categories=4),
    Probe.hint("c", Location.EDGE, Type.SCALAR),
)
Inputs, Outputs, Hints = records(__name__, PROBES)

DIAGONAL, UP, LEFT, BLANK = range(4)


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


ALGORITHM = Algorithm(
    name="lcs_length",
    family="dynamic_programming",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=pair,
    run=run,
    lengths_at_16=(1, 12),
    check=check_strings,
)
