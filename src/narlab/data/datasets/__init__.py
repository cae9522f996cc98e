"""The named data sets of the paper, one file each.

A file declares `describe(algorithm, split)`, the `SPLITS` it has and the `ALGORITHMS` it covers (`None`: all). It may
have `GRAPHS`, a graph family of its own, and `marks(description, start, stop)`, what it says of samples beyond the
probes. A data set from outside is any object with these.
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
