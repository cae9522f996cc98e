"""Random graphs that are built step by step, one per seed [count] -> [count, n, n] of booleans."""

import numpy as np

from narlab.common.compiling import compiled, part_of

GOLDEN, MIX1, MIX2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S11, S27, S30, S31, S32 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
LABELS = np.uint64(0x5851F42D4C957F2D)  # what tells the random labels of a graph from the draws that built it
REDRAWS = 100_000

part = part_of()


@part
def draw(state):
    """The next 64 random bits; splitmix64 (Steele, Lea and Flood 2014)."""
    state[0] += GOLDEN
    z = state[0]
    z = (z ^ (z >> S30)) * MIX1
    z = (z ^ (z >> S27)) * MIX2
    return z ^ (z >> S31)


@part
def below(state, high):
    """A random integer in [0, high), for high below 2**32."""
    return np.int64(((draw(state) >> S32) * np.uint64(high)) >> S32)


@part
def uniform(state):
    """A random number in [0, 1)."""
    return np.float64(draw(state) >> S11) * 2.0**-53


@part
def shuffle(state, items, size):
    """Put the first `size` items in random order."""
    for last in range(size - 1, 0, -1):
        other = below(state, last + 1)
        items[last], items[other] = items[other], items[last]


@compiled
def relabel(graphs, seeds, directed, acyclic):
    """Random labels for undirected graphs; then a coin directs each edge, or for acyclic ones an order of the nodes."""
    count, n = graphs.shape[:2]
    result = np.zeros_like(graphs)
    state, label, rank = np.zeros(1, np.uint64), np.arange(n), np.arange(n)
    for b in range(count):
        state[0] = seeds[b] ^ LABELS
        for v in range(n):
            label[v] = rank[v] = v
        shuffle(state, label, n)
        if acyclic:
            shuffle(state, rank, n)
        for i in range(n):
            for j in range(i + 1, n):
                if graphs[b, i, j]:
                    u, v = label[i], label[j]
                    if acyclic:
                        forward, back = rank[i] < rank[j], rank[j] < rank[i]
                    elif directed:
                        forward = draw(state) >> S32 < np.uint64(2**31)
                        back = not forward
                    else:
                        forward = back = True
                    result[b, u, v], result[b, v, u] = forward, back
    return result


@compiled
def regular(seeds, n, k, directed, acyclic):
    """k-regular graphs; directed ones have k arcs into and out of each node, acyclic ones keep a half of those."""
    graphs = np.zeros((len(seeds), n, n), np.bool_)
    degree = 2 * k if directed or acyclic else k
    dense = 3 * degree > 2 * n  # pairing would fail too often: such a graph is the complement of a sparse one
    drawn = n - 1 - degree if dense else degree
    state, label = np.zeros(1, np.uint64), np.arange(n)
    graph, stubs, left = np.zeros((n, n), np.bool_), np.zeros(n * drawn, np.int64), np.zeros(n, np.int64)
    out = np.zeros(n, np.int64)
    for b in range(len(seeds)):
        state[0] = seeds[b]
        while not pair_stubs(state, graph, drawn, stubs, left):
            pass
        if dense:
            for i in range(n):
                for j in range(n):
                    graph[i, j] = i != j and not graph[i, j]
        if directed or acyclic:
            orient(state, graph, out)
            balance(state, graph, out, k)
        for v in range(n):
            label[v] = v
        shuffle(state, label, n)
        for i in range(n):
            for j in range(i + 1 if acyclic else 0, n):
                graphs[b, label[i], label[j]] = graph[i, j]
    return graphs


@part
def pair_stubs(state, graph, degree, stubs, left):
    """Try to fill `graph` with a random regular graph; the pairing model as in NetworkX (Steger and Wormald 1999).

    Stubs that would give a loop or a double edge are shuffled and paired again; False if none of them can be paired.
    """
    n = len(graph)
    graph[:] = False
    for v in range(n):
        for d in range(degree):
            stubs[v * degree + d] = v
    size = n * degree
    while size > 0:
        shuffle(state, stubs, size)
        left[:] = 0
        for s in range(0, size, 2):
            u, v = stubs[s], stubs[s + 1]
            if u != v and not graph[u, v]:
                graph[u, v] = graph[v, u] = True
            else:
                left[u] += 1
                left[v] += 1
        size = 0
        for v in range(n):
            for _ in range(left[v]):
                stubs[size] = v
                size += 1
        if size > 0 and not can_pair(graph, stubs, size):
            return False
    return True


@part
def can_pair(graph, stubs, size):
    """Whether two of the stubs belong to different nodes that are not adjacent."""
    for s in range(size):
        for r in range(s):
            if stubs[s] != stubs[r] and not graph[stubs[s], stubs[r]]:
                return True
    return False


@part
def orient(state, graph, out):
    """Keep one direction of each edge, by a coin; fill `out` with the number of arcs that leave each node."""
    n = len(graph)
    out[:] = 0
    for i in range(n):
        for j in range(i + 1, n):
            if graph[i, j]:
                forward = draw(state) >> S32 < np.uint64(2**31)
                graph[i, j], graph[j, i] = forward, not forward
                out[i if forward else j] += 1


@part
def balance(state, graph, out, k):
    """Turn random arcs of nodes that more than k leave until k leave each; `graph` is an oriented 2k-regular one."""
    n = len(graph)
    rich = 0
    for v in range(n):
        rich += out[v] > k
    while rich > 0:
        pick = below(state, rich)
        v = -1
        while pick >= 0:
            v += 1
            pick -= out[v] > k
        pick = below(state, out[v])
        u = -1
        while pick >= 0:
            u += 1
            pick -= graph[v, u]
        graph[v, u], graph[u, v] = False, True
        out[v] -= 1
        out[u] += 1
        rich += (out[u] == k + 1) - (out[v] == k)


@compiled
def barabasi_albert(seeds, n, m):
    """A star of m + 1 nodes, then each node chooses m others with probability in proportion to their degree."""
    graphs = np.zeros((len(seeds), n, n), np.bool_)
    state, ends = np.zeros(1, np.uint64), np.zeros(2 * m * (n - m), np.int64)  # each node as often as its degree
    for b in range(len(seeds)):
        state[0] = seeds[b]
        for v in range(1, m + 1):
            graphs[b, 0, v] = graphs[b, v, 0] = True
            ends[2 * v - 2], ends[2 * v - 1] = 0, v
        size = 2 * m
        for v in range(m + 1, n):
            before = size
            while size < before + 2 * m:
                u = ends[below(state, before)]
                if not graphs[b, u, v]:
                    graphs[b, u, v] = graphs[b, v, u] = True
                    ends[size], ends[size + 1] = u, v
                    size += 2
    return graphs


@compiled
def watts_strogatz(seeds, n, k, p):
    """A ring in which each node knows its k nearest; each edge then gets a new far end with probability p."""
    graphs = np.zeros((len(seeds), n, n), np.bool_)
    state, degree = np.zeros(1, np.uint64), np.zeros(n, np.int64)
    for b in range(len(seeds)):
        state[0] = seeds[b]
        graph = graphs[b]
        degree[:] = k
        for step in range(1, k // 2 + 1):
            for u in range(n):
                v = (u + step) % n
                graph[u, v] = graph[v, u] = True
        for step in range(1, k // 2 + 1):
            for u in range(n):
                if uniform(state) < p and degree[u] < n - 1:  # a node that knows all has nowhere to go
                    v, w = (u + step) % n, u
                    while w == u or graph[u, w]:
                        w = below(state, n)
                    graph[u, v] = graph[v, u] = False
                    graph[u, w] = graph[w, u] = True
                    degree[v] -= 1
                    degree[w] += 1
    return graphs


@compiled
def trees(seeds, n):
    """Uniform random labelled trees, from Prüfer sequences."""
    graphs = np.zeros((len(seeds), n, n), np.bool_)
    state, code, degree = np.zeros(1, np.uint64), np.zeros(max(n - 2, 0), np.int64), np.zeros(n, np.int64)
    for b in range(len(seeds)):
        state[0] = seeds[b]
        degree[:] = 1
        for position in range(n - 2):
            code[position] = below(state, n)
            degree[code[position]] += 1
        pointer = 0  # no leaf is below it, but for `leaf`
        while degree[pointer] != 1:
            pointer += 1
        leaf = pointer
        for position in range(n - 2):
            v = code[position]
            graphs[b, leaf, v] = graphs[b, v, leaf] = True
            degree[v] -= 1
            if degree[v] == 1 and v < pointer:
                leaf = v
            else:
                pointer += 1
                while degree[pointer] != 1:
                    pointer += 1
                leaf = pointer
        if n > 1:
            graphs[b, leaf, n - 1] = graphs[b, n - 1, leaf] = True  # the last node is never cut off as a leaf
    return graphs


@compiled
def two_communities(seeds, n, p):
    """Two connected Erdős–Rényi graphs and an edge between them; also the first size that was not found connected."""
    graphs = np.zeros((len(seeds), n, n), np.bool_)
    state, queue, reached = np.zeros(1, np.uint64), np.zeros(n, np.int64), np.zeros(n, np.bool_)
    half = n // 2
    for b in range(len(seeds)):
        state[0] = seeds[b]
        for start, stop in ((0, half), (half, n)):
            for _ in range(REDRAWS):
                for i in range(start, stop):
                    for j in range(i + 1, stop):
                        graphs[b, i, j] = graphs[b, j, i] = uniform(state) < p
                if connected(graphs[b], start, stop, queue, reached):
                    break
            else:
                return graphs, stop - start
        u, v = below(state, half), half + below(state, n - half)
        graphs[b, u, v] = graphs[b, v, u] = True
    return graphs, 0


@part
def connected(graph, start, stop, queue, reached):
    """Whether the nodes from `start` to `stop` reach each other; the last two arrays [n] are to work in."""
    reached[start:stop] = False
    queue[0], reached[start] = start, True
    done, size = 0, 1
    while done < size:
        u = queue[done]
        done += 1
        for v in range(start, stop):
            if graph[u, v] and not reached[v]:
                reached[v] = True
                queue[size] = v
                size += 1
    return size == stop - start
