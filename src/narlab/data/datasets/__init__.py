"""The named data sets of the paper, one file each.

A file declares `describe(algorithm, split)`, the `SPLITS` it has and the `ALGORITHMS` it covers (`None`: all).
"""

from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from narlab.common.names import unknown


@cache
def names() -> tuple[str, ...]:
    """The names of all data sets."""
    return tuple(sorted(file.stem for file in Path(__file__).parent.glob("*.py") if file.stem != "__init__"))


def get(name: str) -> ModuleType:
    """The data set called `name`."""
    if name not in names():
        raise unknown("data set", name, names())
    return import_module(f"narlab.data.datasets.{name}")
