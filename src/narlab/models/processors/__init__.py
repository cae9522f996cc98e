"""The processors, one file each.

A file holds a class `Processor`, an `AbstractProcessor` made by `Processor(hidden)`, with
- `pairs`, which pairs it sees (`Pairs`),
- `prepare(features, topology)`, which does everything that does not change between steps,
- `step(state, prepared)`, which does one step.

A hybrid is made of two other processors, and may name them: `hybrid_average:mpnn_g+two_wl`. Its file has `share`, the
rule that joins them.
"""

from functools import cache
from importlib import import_module
from pathlib import Path

from narlab.common.errors import UsageError
from narlab.common.names import unknown
from narlab.models.pairs import Pairs, joined
from narlab.models.processor import AbstractProcessor

__all__ = ["Pairs", "get", "names", "pairs"]


@cache
def names() -> tuple[str, ...]:
    """The names of all processors."""
    return tuple(sorted(file.stem for file in Path(__file__).parent.glob("*.py") if file.stem != "__init__"))


def get(name: str, hidden: int) -> AbstractProcessor:
    """A new processor of width `hidden`; a hybrid may name its parts: `hybrid_average:mpnn_g+mpnn_g`."""
    made, parts = _resolve(name)
    return made(hidden, *(get(part, hidden) for part in parts))


def pairs(name: str) -> Pairs:
    """The pairs that the processor called `name` sees."""
    made, parts = _resolve(name)
    return joined(*(pairs(part) for part in parts)) if parts else made.pairs


def _resolve(name: str) -> tuple[type[AbstractProcessor], tuple[str, ...]]:
    """The class of a processor, and the names of its parts if it is a hybrid."""
    kind, colon, listed = str(name).partition(":")
    if kind not in names():
        raise unknown("processor", kind, names())
    made = import_module(f"narlab.models.processors.{kind}").Processor
    if not hasattr(made, "PARTS"):
        if colon:
            raise UsageError(
                f"processor {kind!r} has no parts; only a hybrid has, such as hybrid_average:mpnn_g+two_wl"
            )
        return made, ()
    parts = tuple(listed.split("+")) if colon else made.PARTS
    if len(parts) != 2:
        raise UsageError(f"a hybrid has two parts, such as {kind}:mpnn_g+two_wl, got {name!r}")
    for part in parts:
        if part.startswith("hybrid"):
            raise UsageError(f"a hybrid is made of two simple processors, got {name!r}")
        _resolve(part)
    return made, parts
