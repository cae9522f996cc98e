"""The named data sets, one file each: the paper's, and `ladder`.

A file declares `describe(algorithm, split)`, the `SPLITS` it has and the `ALGORITHMS` it covers (`None`: all). It may
have `GRAPHS`, a graph family of its own, `marks(description, start, stop)`, what it says of samples beyond the probes,
and `rungs(algorithm)`, the names of further splits to train on in turn, each as often as it is named. A data set from
outside is any object with these.
"""

from typing import Any

from narlab.common.catalogue import Catalogue


def _is_dataset(thing: Any) -> bool:
    return all(hasattr(thing, name) for name in ("SPLITS", "ALGORITHMS", "describe"))


CATALOGUE = Catalogue(
    kind="data set",
    folder="narlab.data.datasets",
    attribute=None,
    group="narlab.datasets",
    accepts=_is_dataset,
    wanted="a module or an object with SPLITS, ALGORITHMS and describe(algorithm, split)",
)
names, get = CATALOGUE.names, CATALOGUE.get


def rungs(dataset: Any, algorithm: str) -> tuple[str, ...]:
    """The splits to train on in turn; "train" alone where the data set has no others."""
    return tuple(dataset.rungs(algorithm)) if hasattr(dataset, "rungs") else ("train",)


def splits(dataset: Any, algorithm: str) -> tuple[str, ...]:
    """The names of all splits of a data set, each once."""
    return tuple(dict.fromkeys((*dataset.SPLITS, *(rungs(dataset, algorithm) if hasattr(dataset, "rungs") else ()))))
