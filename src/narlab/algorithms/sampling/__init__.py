"""Random inputs: the two streams here, and the samplers that draw from them, by kind of input, in the files beside.

A sampler is written once, against the methods that both streams share, for arrays [count, ...]. `Official` is the
benchmark's own generator, which draws sample after sample: it is asked for one sample at a time. `Fast` draws whole
blocks of samples at once.
"""

from collections.abc import Iterator

import numpy as np

from narlab.algorithms.sampling import fast_samplers

LARGEST_BLOCK = 1024  # samples
BLOCK_CELLS = 2**18  # node pairs in a block, so that a block of large graphs stays small


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
        return fast_samplers.erdos_renyi(self.seeds(count), n, float(p), directed, acyclic)

    def weigh(self, graph: np.ndarray, low: float, high: float, *, directed: bool) -> np.ndarray:
        return fast_samplers.weigh(graph, self.seeds(len(graph)), float(low), float(high), directed)

    def disc(self, radius: float, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """By rejection, since sines and cosines differ between machines."""
        x, y = self.uniform(shape, -radius, radius), self.uniform(shape, -radius, radius)
        while (outside := x * x + y * y > radius * radius).any():
            again = (int(outside.sum()),)
            x[outside], y[outside] = self.uniform(again, -radius, radius), self.uniform(again, -radius, radius)
        return x, y

    def segments(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        return fast_samplers.segments(self.seeds(count))


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
    return fast_samplers.relabel(np.ascontiguousarray(graph), order)


def cross(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Whether segment (0, 1) crosses segment (2, 3), [count]; collinear points are nobody's business here."""

    def turns_left(a: int, b: int, c: int) -> np.ndarray:
        return (y[:, c] - y[:, a]) * (x[:, b] - x[:, a]) > (y[:, b] - y[:, a]) * (x[:, c] - x[:, a])

    ends_apart = turns_left(0, 2, 3) != turns_left(1, 2, 3)
    return ends_apart & (turns_left(0, 1, 2) != turns_left(0, 1, 3))
