"""The paper's tables and figures, one file each.

A file declares `TITLE`, `ALGORITHMS` (its tasks), `runs(algorithms, seeds)`, which lists what has to be trained at the
paper's settings, and `outcome(results, algorithms, seeds)`, which makes tables and figures of the runs that are done.
A public name has `-` where the file's has `_`. An experiment from outside is any object with these.
"""

from typing import TYPE_CHECKING, Any

from narlab.common.catalogue import Catalogue

if TYPE_CHECKING:
    from narlab.experiments.declaring.experiment import Experiment

THE_PAPERS = (
    "accuracy-line",
    "augmentation",
    "bridges",
    "configurations",
    "controlled-shift",
    "encode-process-decode",
    "failed",
    "hints",
    "hybrids",
    "improvements",
    "index-shift",
    "interpolation",
    "low-data",
    "main",
    "positions",
)
"""The experiments that are tables and figures of the paper, whatever else is installed."""


def _is_experiment(thing: Any) -> bool:
    return all(hasattr(thing, name) for name in ("TITLE", "ALGORITHMS", "runs", "outcome"))


CATALOGUE = Catalogue(
    kind="experiment",
    folder="narlab.experiments",
    attribute=None,
    group="narlab.experiments",
    accepts=_is_experiment,
    wanted="a module or an object with TITLE, ALGORITHMS, runs and outcome",
    separator="-",
)
names = CATALOGUE.names


def get(name: "str | Experiment") -> "Experiment":
    """The experiment called `name`.

    >>> get("controlled-shift").TITLE
    'Size and degree shift apart (Table 2)'
    """
    return CATALOGUE.get(name)
