"""The two random streams.

A sampler is written once, against the methods that both streams share, for arrays [count, ...]. `Official` is the
benchmark's own generator, which draws sample after sample: it is asked for one sample at a time. `Fast` draws whole
blocks of samples at once.
"""

from collections.abc import Iterator

import numpy as np

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

    def disc(self, radius: float, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        angle = self.uniform(shape, 0.0, 2 * np.pi)
        distance = radius * np.sqrt(self.uniform(shape))
        return distance * np.cos(angle) + 0.0, distance * np.sin(angle) + 0.0


class Fast:
    """A counter-based generator: the block's number is part of the counter, so any block can be drawn first.

    Everything is derived from `Generator.random`, whose stream NumPy keeps from version to version.
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

    def disc(self, radius: float, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Points spread evenly over a disc, by rejection: sines and cosines differ between machines."""
        x, y = self.uniform(shape, -radius, radius), self.uniform(shape, -radius, radius)
        while (outside := x * x + y * y > radius * radius).any():
            again = (int(outside.sum()),)
            x[outside], y[outside] = self.uniform(again, -radius, radius), self.uniform(again, -radius, radius)
        return x, y

    def seeds(self, count: int) -> np.ndarray:
        """A seed per sample [count] for compiled samplers that go on from it by themselves."""
        return (self._generator.random(count) * 2**53).astype(np.uint64)


Draws = Official | Fast


def block_size(nodes: int) -> int:
    """How many samples of `nodes` nodes the fast stream draws at once; a fact of the stream, never to be changed."""
    return max(1, min(LARGEST_BLOCK, BLOCK_CELLS // (nodes * nodes)))


def blocks(start: int, stop: int, size: int) -> Iterator[tuple[int, int, int]]:
    """The blocks that samples `start` to `stop` lie in: (block, first sample in it, end in it)."""
    for block in range(start // size, -(-stop // size)):
        yield block, max(start - block * size, 0), min(stop - block * size, size)
