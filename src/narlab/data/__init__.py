"""Data sets: named ones of the paper, any other by its description, and their files.

A data set is its name: sample i of a split is the same on every machine, however the split is read.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from narlab import algorithms
from narlab.algorithms.sampling.graphs import check_weights
from narlab.common import lazily
from narlab.common.errors import UsageError, check_count, check_seed, unknown
from narlab.data import datasets, generation
from narlab.data.dataset import Dataset, Sample
from narlab.data.generation import Description

if TYPE_CHECKING:
    from narlab.algorithms.engine import Algorithm
    from narlab.data import graphs as graphs
    from narlab.data.files import export, read
else:
    _HOMES = {"export": "narlab.data.files:export", "read": "narlab.data.files:read", "graphs": "narlab.data.graphs"}
    __getattr__ = lazily(__name__, _HOMES)

__all__ = ["Dataset", "Description", "Sample", "custom", "export", "load", "names", "read"]

names = datasets.names


def load(dataset: Any, algorithm: "str | Algorithm", split: str, *, hints: bool = False) -> Dataset:
    """A named data set: `narlab.data.load("l_clrs", "bfs", "train")`.

    Arguments:
        dataset: a name of `narlab.data.names()`, a text `package.module:Name`, or the data set itself.
        algorithm: likewise, of `narlab.algorithms.names()`.
        split: "train", "val" or "test", as far as the data set has them, or another one of it.
        hints: whether each sample's trajectory is recorded.

    >>> load("l_clrs", "bfs", "train")
    <Dataset l_clrs/bfs/train: 100000 samples, n=16>
    """
    found, name = datasets.get(dataset), datasets.CATALOGUE.name_of(dataset)
    task = algorithms.CATALOGUE.name_of(algorithm)
    algorithms.get(task)
    if found.ALGORITHMS is not None and task not in found.ALGORITHMS:
        raise UsageError(f"data set {name!r} does not cover {task!r}; it covers: {', '.join(found.ALGORITHMS)}")
    if split not in (splits := datasets.splits(found, task)):
        raise unknown(f"split of {name!r}", split, splits)
    return Dataset(replace(found.describe(task, split), dataset=name), hints=hints)


OPTIONS = ("n", "count", "seed", "graphs", "weights", "needle", "hints")


def custom(
    algorithm: "str | Algorithm", *, n: int, count: int, seed: int = 0, hints: bool = False, **options: Any
) -> Dataset:
    """Any other data set of `algorithm`, with the same determinism.

    Options: `graphs`, a graph family with its own options (a text, or the family itself), `weights`, the range of
    edge weights, and `needle`, the number of letters that string matching looks for, of the `n` in all. `None` leaves
    what the algorithm has by itself.

    >>> custom("bellman_ford", n=32, count=1000, graphs="regular:k=4", weights=(0.5, 1.0))
    <Dataset custom/bellman_ford/custom: 1000 samples, n=32>
    """
    chosen, task = algorithms.get(algorithm), algorithms.CATALOGUE.name_of(algorithm)
    chosen.check_size(n)
    check_count(count)
    check_seed(seed)
    _check_options(chosen, options)
    if options.get("graphs") is not None:
        from narlab.data import graphs

        options["graphs"] = graphs.describe(graphs.parse(options["graphs"]))
    if options.get("weights") is not None:
        options["weights"] = check_weights(options["weights"])
    if options.get("needle") is not None:
        from narlab.algorithms.sampling.strings import check_needle

        options["needle"] = check_needle(options["needle"], n)
    description = Description("custom", task, "custom", n=n, count=count, seed=seed, **options)
    if options.get("graphs") is not None:
        chosen.sample_block(n, 0, seed=seed, **generation.options(description))  # says now what the family can't do
    return Dataset(description, hints=hints)


def _check_options(algorithm: "Algorithm", options: dict[str, Any]) -> None:
    for option, value in options.items():
        if option not in OPTIONS:
            raise unknown("option", option, OPTIONS)
        if option not in algorithm.options and value is not None:
            takes = ", ".join(algorithm.options) or "none"
            raise UsageError(
                f"{algorithm.name} does not take {option!r}; of graphs, weights and needle it takes: {takes}"
            )
