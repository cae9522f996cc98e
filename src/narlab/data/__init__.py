"""Data sets: named ones of the paper, any other by its description, and their files.

A data set is its name: sample i of a split is the same on every machine, however the split is read.
"""

from typing import Any

from narlab import algorithms
from narlab.algorithms.engine.checking import check_size
from narlab.algorithms.sampling.graphs import check_weights
from narlab.common.checks import check_count, check_seed
from narlab.common.errors import UsageError
from narlab.common.names import unknown
from narlab.data import datasets, generation, graphs
from narlab.data.dataset import Dataset
from narlab.data.description import Description
from narlab.data.files import export, read

__all__ = ["Dataset", "Description", "custom", "export", "load", "names", "read"]

names = datasets.names


def load(dataset: str, algorithm: str, split: str, *, hints: bool = False) -> Dataset:
    """A named data set: `narlab.data.load("l_clrs", "bfs", "train")`."""
    module = datasets.get(dataset)
    algorithms.get(algorithm)
    if module.ALGORITHMS is not None and algorithm not in module.ALGORITHMS:
        covered = ", ".join(module.ALGORITHMS)
        raise UsageError(f"data set {dataset!r} does not cover {algorithm!r}; it covers: {covered}")
    if split not in module.SPLITS:
        raise unknown(f"split of {dataset!r}", split, module.SPLITS)
    return Dataset(module.describe(algorithm, split), hints=hints)


OPTIONS = ("n", "count", "seed", "graphs", "weights", "hints")


def custom(algorithm: str, *, n: int, count: int, seed: int = 0, hints: bool = False, **options: Any) -> Dataset:
    """Any other data set of `algorithm`, with the same determinism.

    Options: `graphs`, a graph family with its own options, and `weights`, the range of edge weights:
    `narlab.data.custom("bellman_ford", n=32, count=1000, graphs="regular:k=4", weights=(0.5, 1.0))`.
    """
    chosen = algorithms.get(algorithm)
    check_size(chosen, n)
    check_count(count)
    check_seed(seed)
    for option in options:
        if option not in OPTIONS:
            raise unknown("option", option, OPTIONS)
        if option not in chosen.options:
            takes = ", ".join(chosen.options) or "none"
            raise UsageError(f"{algorithm} does not take {option!r}; of graphs and weights it takes: {takes}")
    if options.get("graphs") is not None:
        options["graphs"] = graphs.describe(graphs.parse(options["graphs"]))
    if options.get("weights") is not None:
        options["weights"] = check_weights(options["weights"])
    description = Description("custom", algorithm, "custom", n=n, count=count, seed=seed, **options)
    if options.get("graphs") is not None:
        chosen.sample_block(n, 0, seed=seed, **generation.options(description))  # says now what the family can't do
    return Dataset(description, hints=hints)
