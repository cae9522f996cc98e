"""The position encodings, one file each.

A file holds `PROBE`, which takes the place of the input `pos`, and `values(batch, training)`, its values.
"""

from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from narlab.common.names import unknown


@cache
def names() -> tuple[str, ...]:
    """The names of all position encodings."""
    return tuple(sorted(file.stem for file in Path(__file__).parent.glob("*.py") if file.stem != "__init__"))


def get(name: str) -> ModuleType:
    """The position encoding called `name`."""
    if name not in names():
        raise unknown("position encoding", name, names())
    return import_module(f"narlab.models.positions.{name}")
