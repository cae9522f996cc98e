"""One instance of an algorithm, to look at."""

from typing import TYPE_CHECKING

from narlab import algorithms, data
from narlab.common.errors import UsageError

if TYPE_CHECKING:
    from narlab.algorithms.engine.algorithm import Arrays


def single_inputs(name: str, *, n: int, seed: int = 0, graphs: str | None = None) -> "Arrays":
    """The inputs [1, ...] of one instance; without a graph family the benchmark's first sample with this seed.

    >>> single_inputs("bfs", n=4)["A"].shape
    (1, 4, 4)
    """
    algorithm = algorithms.get(name)
    if graphs is None:
        return algorithm.sample(n, 1, seed=seed)
    if not algorithm.has_graph:
        with_graphs = ", ".join(each for each in algorithms.names() if algorithms.get(each).has_graph)
        raise UsageError(f"{name} has no graph: leave --graphs out; graph algorithms: {with_graphs}")
    return data.custom(name, n=n, count=1, seed=seed, graphs=graphs).inputs
