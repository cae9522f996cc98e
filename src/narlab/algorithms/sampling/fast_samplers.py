"""Compiled samplers of the fast stream: what NumPy would need many passes for, sample by sample from a seed each.

Seeds are [count]; a sample depends on nothing but its own.
"""

import numpy as np

from narlab.common.compiling import compiled, jitted

GOLDEN, MIX1, MIX2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S11, S27, S30, S31, S32 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@jitted
def draw(state):
    """The next state and 64 random bits; splitmix64 (Steele, Lea and Flood 2014)."""
    state += GOLDEN
    z = (state ^ (state >> S30)) * MIX1
    z = (z ^ (z >> S27)) * MIX2
    return state, z ^ (z >> S31)


@jitted
def uniform(state):
    """The next state and a number in [0, 1)."""
    state, bits = draw(state)
    return state, np.float64(bits >> S11) * 2.0**-53


@compiled
def erdos_renyi(seeds, n, p, directed, acyclic):
    """Graphs in the benchmark's form, [count, n, n]; each pair takes two halves of 64 random bits."""
    graphs = np.zeros((len(seeds), n, n), np.bool_)
    threshold = np.uint64(round(p * 2.0**32))
    order = np.arange(n)
    for b in range(len(seeds)):
        state = seeds[b]
        if acyclic:
            for last in range(n - 1, 0, -1):
                state, bits = draw(state)
                other = np.int64(((bits >> S32) * np.uint64(last + 1)) >> S32)
                order[last], order[other] = order[other], order[last]
        for i in range(n):
            state, bits = draw(state)
            graphs[b, i, i] = (bits >> S32 < threshold) & (not acyclic)
            for j in range(i + 1, n):
                state, bits = draw(state)
                there, back = bits >> S32 < threshold, bits & np.uint64(0xFFFFFFFF) < threshold
                if acyclic:
                    graphs[b, order[i], order[j]] = there
                elif directed:
                    graphs[b, i, j], graphs[b, j, i] = there, back
                else:
                    graphs[b, i, j] = graphs[b, j, i] = there & back
    return graphs


@compiled
def weigh(graphs, seeds, low, high, directed):
    """Weights of the edges, [count, n, n]; an undirected edge gets the geometric mean of two draws, off zero."""
    weights = np.zeros(graphs.shape)
    n = graphs.shape[1]
    for b in range(len(seeds)):
        state = seeds[b]
        for i in range(n):
            for j in range(n if directed else i + 1):
                if graphs[b, i, j]:
                    state, first = uniform(state)
                    weight = low + (high - low) * first
                    if not directed:
                        second = weight
                        if i != j:
                            state, drawn = uniform(state)
                            second = low + (high - low) * drawn
                        weight = np.sqrt(weight * second + 0.001)
                        weights[b, j, i] = weight
                    weights[b, i, j] = weight
    return weights


@compiled
def relabel(graphs, order):
    """Graphs [count, n, n] whose node i was node order[i]."""
    relabelled = np.empty_like(graphs)
    for b in range(len(graphs)):
        for i in range(graphs.shape[1]):
            for j in range(graphs.shape[2]):
                relabelled[b, i, j] = graphs[b, order[b, i], order[b, j]]
    return relabelled


@jitted
def turns_left(x, y, a, b, c):
    return (y[c] - y[a]) * (x[b] - x[a]) > (y[b] - y[a]) * (x[c] - x[a])


@compiled
def segments(seeds):
    """End points x and y [count, 4] of two segments, which a coin has cross or not."""
    x, y = np.zeros((len(seeds), 4)), np.zeros((len(seeds), 4))
    for k in range(len(seeds)):
        state, bits = draw(seeds[k])
        wanted = bits >> S32 < np.uint64(2**31)
        while True:
            for end in range(4):
                state, x[k, end] = uniform(state)
                state, y[k, end] = uniform(state)
            apart = turns_left(x[k], y[k], 0, 2, 3) != turns_left(x[k], y[k], 1, 2, 3)
            if (apart and turns_left(x[k], y[k], 0, 1, 2) != turns_left(x[k], y[k], 0, 1, 3)) == wanted:
                break
    return x, y
