"""The families of random graphs, one file each; a file's name is the family's, its `Family`'s fields are the options.

A family is written as its name and options: `tree`, `regular:k=4`, `ws:k=4,p=0.1`.
"""

from dataclasses import fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from narlab.common.errors import UsageError
from narlab.common.names import unknown

if TYPE_CHECKING:
    from narlab.algorithms.sampling.graphs import GraphFamily

KINDS = {int: "an integer", float: "a number"}


@cache
def names() -> tuple[str, ...]:
    """The names of all families, in alphabetical order."""
    return tuple(sorted(file.stem for file in Path(__file__).parent.glob("*.py") if file.stem != "__init__"))


def get(name: str) -> Any:
    """The class of the family called `name`."""
    if name not in names():
        raise unknown("graph family", name, names())
    return import_module(f"narlab.data.graphs.{name}").Family


def parse(text: str) -> "GraphFamily":
    """The family that `text` names.

    >>> parse("regular:k=4")
    Family(k=4)
    """
    if not isinstance(text, str):
        raise UsageError(f"a graph family is written as text such as 'regular:k=4', got {text!r}")
    name, colon, rest = text.strip().partition(":")
    family = get(name)
    return family(**_options(name, family, rest.split(",") if colon else []))


def _options(name: str, family: Any, pieces: list[str]) -> dict[str, int | float]:
    types = get_type_hints(family)
    known = [field.name for field in fields(family)]
    options: dict[str, int | float] = {}
    for piece in pieces:
        key, equals, value = (part.strip() for part in piece.partition("="))
        if not equals:
            raise UsageError(f"options of graph family {name!r} are written key=value, got {piece!r}")
        if key not in known:
            raise unknown(f"option of {name}", key, known)
        if key in options:
            raise UsageError(f"option {key!r} of graph family {name!r} is given twice; give it once")
        try:
            options[key] = types[key](value)
        except ValueError:
            kind = KINDS[types[key]]
            raise UsageError(f"option {key!r} of graph family {name!r} must be {kind}, got {value!r}") from None
    return options


def parse_list(text: str) -> list["GraphFamily"]:
    """The families of a list such as `er,ws:k=4,p=0.1,tree`; a piece such as `p=0.1` belongs to the one before it."""
    families: list[str] = []
    for piece in text.split(","):
        if "=" not in piece or ":" in piece:
            families.append(piece)
        elif families and ":" in families[-1]:
            families[-1] += f",{piece}"
        else:
            example = f"{families[-1].strip()}:{piece.strip()}" if families else f"er:{piece.strip()}"
            raise UsageError(f"option {piece.strip()!r} stands behind no family and colon; write it as {example!r}")
    return [parse(family) for family in families]


def describe(family: "GraphFamily") -> str:
    """The text that `parse` reads back as `family`, with all options."""
    for name in names():
        if type(family) is get(name):
            types = get_type_hints(type(family))
            options = [f"{field.name}={types[field.name](getattr(family, field.name))!r}" for field in fields(family)]  # type: ignore[arg-type]
            return name + ":" * bool(options) + ",".join(options)
    raise UsageError(f"{family!r} is none of the graph families; known: {', '.join(names())}")
