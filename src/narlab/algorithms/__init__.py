"""The 30 algorithms of the CLRS benchmark, one file each, and those that other packages bring.

A file of this folder is an algorithm and its name is the algorithm's; the subfolders hold what they share.
"""

from typing import TYPE_CHECKING, Any

from narlab.algorithms._benchmark import CLRS_30, DISTINCT
from narlab.common.catalogue import Catalogue

if TYPE_CHECKING:
    from narlab.algorithms.engine import Algorithm

__all__ = ["CATALOGUE", "CLRS_30", "DISTINCT", "get", "names"]


def _is_algorithm(thing: Any) -> bool:
    from narlab.algorithms.engine import Algorithm

    return isinstance(thing, Algorithm)


CATALOGUE = Catalogue(
    kind="algorithm",
    folder="narlab.algorithms",
    attribute="ALGORITHM",
    group="narlab.algorithms",
    accepts=_is_algorithm,
    wanted="an Algorithm of narlab.algorithms.engine",
)
names = CATALOGUE.names


def get(name: "str | Algorithm") -> "Algorithm":
    """The algorithm called `name`; an `Algorithm` is its own.

    >>> get("bfs").family
    'graphs'
    """
    return CATALOGUE.get(name)
