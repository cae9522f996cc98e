"""Quantisers of the node state, one file each; the paper found them to fail, here is what it takes to try again.

A file holds a class `Quantiser(hidden)`, an `nn.Module` that maps a state [B, N, H] and a random generator to a
quantised state and a penalty for the loss.
"""

from functools import cache
from importlib import import_module
from pathlib import Path

from torch import nn

from narlab.common.names import unknown


@cache
def names() -> tuple[str, ...]:
    """The names of all quantisers."""
    return tuple(sorted(file.stem for file in Path(__file__).parent.glob("*.py") if file.stem != "__init__"))


def get(name: str, hidden: int) -> nn.Module:
    """A new quantiser for states of width `hidden`."""
    if name not in names():
        raise unknown("quantiser", name, names())
    return import_module(f"narlab.models.quantisers.{name}").Quantiser(hidden)
