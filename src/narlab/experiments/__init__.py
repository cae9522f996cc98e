"""The paper's tables and figures, one file each.

A file declares `TITLE`, `ALGORITHMS` (its tasks), `runs(algorithms, seeds)`, which lists what has to be trained at the
paper's settings, and `outcome(results, algorithms, seeds)`, which makes tables and figures of the runs that are done.
A public name has `-` where the file's has `_`.
"""

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from narlab.common.names import unknown

if TYPE_CHECKING:
    from narlab.experiments.engine.experiment import Experiment


@cache
def names() -> tuple[str, ...]:
    """The names of all experiments."""
    files = Path(__file__).parent.glob("*.py")
    return tuple(sorted(file.stem.replace("_", "-") for file in files if file.stem != "__init__"))


def get(name: str) -> "Experiment":
    """The experiment called `name`."""
    if name not in names():
        raise unknown("experiment", name, names())
    return cast("Experiment", import_module(f"narlab.experiments.{name.replace('-', '_')}"))
