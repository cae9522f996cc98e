"""Random inputs: the two streams here, and the samplers that draw from them, by kind of input, in the files beside.

A sampler is written once, against the methods that both streams share, for arrays [count, ...]. `Official` is the
benchmark's own generator, which draws sample after sample: it is asked for one sample at a time. `Fast` draws whole
blocks of samples at once; what NumPy would need many passes for is compiled and made of a seed for each sample.
"""

from collections.abc import Iterator

import numpy as np

from narlab.common.compiling import compiled, jitted

LARGEST_BLOCK = 1024  # samples
BLOCK_CELLS = 2**18  # node pairs in a block, so that a block of large graphs stays small
GOLDEN, MIX1, MIX2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S11, S27, S30, S31, S32 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


class Official:
    """NumPy's legacy generator in the benchmark's draw order."""

    def __init__(self, seed: int) -> None:
        self._state = np.random.RandomState(seed)

    def uniform(self, shape: tuple[int, ...], low: float = 0.0, high: float = 1.0) -> np.ndarray:
        return self._state.uniform(low, high, shape)

    def integers(self, high: int, shape: tuple[int, ...]) -> np.ndarray:
        return self._state.randint(0, high, size=shape)

    def bernoulli(self, p: float, shape: tuple[int, ...]) -> np.ndarray:
        return self._state.binomial(1, p, size=shape).astype(bool)

    def permutations(self, count: int, n: int) -> np.ndarray:
        return np.stack([self._state.permutation(n) for _ in range(count)])

    def choices(self, n: int, count: int) -> np.ndarray:
        return np.array([self._state.choice(n) for _ in range(count)])

    def erdos_renyi(self, p: float, n: int, count: int, *, directed: bool, acyclic: bool) -> np.ndarray:
        """Graphs [count, n, n] in the benchmark's form."""
        graph = self.bernoulli(p, (count, n, n))
        if acyclic:
            return relabel(np.triu(graph, 1), self.permutations(count, n))
        return graph if directed else graph & graph.swapaxes(1, 2)

    def weigh(self, graph: np.ndarray, low: float, high: float, *, directed: bool) -> np.ndarray:
        """`graph` with a weight on each edge: undirected, the geometric mean of two draws, nudged off zero."""
        drawn = self.uniform(graph.shape, low, high)
        return graph * (drawn if directed else np.sqrt(drawn * drawn.swapaxes(1, 2) + 0.001))

    def disc(self, radius: float, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Points spread evenly over a disc."""
        angle = self.uniform(shape, 0.0, 2 * np.pi)
        distance = radius * np.sqrt(self.uniform(shape))
        return distance * np.cos(angle) + 0.0, distance * np.sin(angle) + 0.0

    def segments(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """End points [count, 4] of two segments, which cross in half of the samples."""
        wanted = self.bernoulli(0.5, (count,))
        x, y = self.uniform((count, 4)), self.uniform((count, 4))
        while (wrong := cross(x, y) != wanted).any():
            again = int(wrong.sum())
            x[wrong] = self.uniform((again, 4))
            y[wrong] = self.uniform((again, 4))
        return x, y


class Fast:
    """A counter-based generator: the block's number is part of the counter, so any block can be drawn first.

    Everything is derived from `Generator.random`, whose stream NumPy keeps from version to version, by arithmetic that
    is the same on every machine.
    """

    def __init__(self, seed: int, block: int) -> None:
        self._generator = np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, block, 0]))

    def uniform(self, shape: tuple[int, ...], low: float = 0.0, high: float = 1.0) -> np.ndarray:
        draws = self._generator.random(shape)
        return draws if (low, high) == (0.0, 1.0) else low + (high - low) * draws

    def integers(self, high: int, shape: tuple[int, ...]) -> np.ndarray:
        return (self._generator.random(shape) * high).astype(np.int64)

    def bernoulli(self, p: float, shape: tuple[int, ...]) -> np.ndarray:
        return self._generator.random(shape, dtype=np.float32) < p

    def permutations(self, count: int, n: int) -> np.ndarray:
        return self._generator.random((count, n)).argsort(axis=1)

    def choices(self, n: int, count: int) -> np.ndarray:
        return self.integers(n, (count,))

    def seeds(self, count: int) -> np.ndarray:
        """A seed per sample [count] for compiled samplers, which go on from it by themselves."""
        return (self._generator.random(count) * 2**53).astype(np.uint64)

    def erdos_renyi(self, p: float, n: int, count: int, *, directed: bool, acyclic: bool) -> np.ndarray:
        return seeded_erdos_renyi(self.seeds(count), n, float(p), directed, acyclic)

    def weigh(self, graph: np.ndarray, low: float, high: float, *, directed: bool) -> np.ndarray:
        return seeded_weigh(graph, self.seeds(len(graph)), float(low), float(high), directed)

    def disc(self, radius: float, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """By rejection, since sines and cosines differ between machines."""
        x, y = self.uniform(shape, -radius, radius), self.uniform(shape, -radius, radius)
        while (outside := x * x + y * y > radius * radius).any():
            again = (int(outside.sum()),)
            x[outside], y[outside] = self.uniform(again, -radius, radius), self.uniform(again, -radius, radius)
        return x, y

    def segments(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        return seeded_segments(self.seeds(count))


Draws = Official | Fast


def block_size(nodes: int) -> int:
    """How many samples of `nodes` nodes the fast stream draws at once; a fact of the stream, never to be changed."""
    return max(1, min(LARGEST_BLOCK, BLOCK_CELLS // (nodes * nodes)))


def blocks(start: int, stop: int, size: int) -> Iterator[tuple[int, int, int]]:
    """The blocks that samples `start` to `stop` lie in: (block, first sample in it, end in it)."""
    for block in range(start // size, -(-stop // size)):
        yield block, max(start - block * size, 0), min(stop - block * size, size)


def positions(n: int, count: int) -> np.ndarray:
    """The index of each node as i/n, [count, n]."""
    return np.broadcast_to(np.arange(n) * 1.0 / n, (count, n))


def relabel(graph: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Node i of the result is node order[i] of `graph` [count, n, n]."""
    return relabelled(np.ascontiguousarray(graph), order)


def cross(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Whether segment (0, 1) crosses segment (2, 3), [count]; collinear points are nobody's business here."""
    turns = [turns_left.py_func(x.T, y.T, *corners) for corners in ((0, 2, 3), (1, 2, 3), (0, 1, 2), (0, 1, 3))]
    return (turns[0] != turns[1]) & (turns[2] != turns[3])


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
def seeded_erdos_renyi(seeds, n, p, directed, acyclic):
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
def seeded_weigh(graphs, seeds, low, high, directed):
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
def relabelled(graphs, order):
    """Graphs [count, n, n] whose node i was node order[i]."""
    result = np.empty_like(graphs)
    for b in range(len(graphs)):
        for i in range(graphs.shape[1]):
            for j in range(graphs.shape[2]):
                result[b, i, j] = graphs[b, order[b, i], order[b, j]]
    return result


@jitted
def turns_left(x, y, a, b, c):
    """Whether the way from point a over b to c turns left."""
    return (y[c] - y[a]) * (x[b] - x[a]) > (y[b] - y[a]) * (x[c] - x[a])


@compiled
def seeded_segments(seeds):
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
