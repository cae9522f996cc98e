"""The processors, one file each.

A file holds a class `Processor`, an `nn.Module` made by `Processor(hidden)`, with
- `pairs`, which pairs it sees (`Pairs`),
- `prepare(features, topology)`, which does everything that does not change between steps,
- `step(state, prepared)`, which does one step.

A hybrid's file has instead `combine`, and is made of two other processors: `hybrid_average:mpnn_g+two_wl`.
"""

from functools import cache
from importlib import import_module
from pathlib import Path

from torch import nn

from narlab.models.pairs import Pairs
from narlab.specs import unknown

__all__ = ["Pairs", "get", "names"]


@cache
def names() -> tuple[str, ...]:
    """The names of all processors."""
    return tuple(sorted(file.stem for file in Path(__file__).parent.glob("*.py") if file.stem != "__init__"))


def get(name: str, hidden: int) -> nn.Module:
    """A new processor of width `hidden`; a hybrid may name its parts: `hybrid_average:mpnn_g+mpnn_g`."""
    kind, _, parts = name.partition(":")
    if kind not in names():
        raise unknown("processor", kind, names())
    made = import_module(f"narlab.models.processors.{kind}").Processor
    if not hasattr(made, "PARTS"):
        if parts:
            raise ValueError(
                f"processor {kind!r} has no parts; only a hybrid has, such as hybrid_average:mpnn_g+two_wl"
            )
        return made(hidden)
    chosen = tuple(parts.split("+")) if parts else made.PARTS
    if len(chosen) != 2:
        raise ValueError(f"a hybrid has two parts, such as {kind}:mpnn_g+two_wl, got {name!r}")
    for part in chosen:
        if part.startswith("hybrid"):
            raise ValueError(f"a hybrid is made of two simple processors, got {name!r}")
    return made(hidden, get(chosen[0], hidden), get(chosen[1], hidden))
