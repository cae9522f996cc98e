"""The families of random graphs, one file each; a file's name is the family's, its `Family`'s fields are the options.

A family is written as its name and options: `tree`, `regular:k=4`, `ws:k=4,p=0.1`; one from outside also as
`package.module:Name`, with options as `package.module:Name:k=4`.
"""

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, get_type_hints

from narlab.common.catalogue import Catalogue, is_import_text
from narlab.common.errors import UsageError
from narlab.common.names import unknown

if TYPE_CHECKING:
    from narlab.algorithms.sampling.graphs import GraphFamily

KINDS = {int: "an integer", float: "a number"}


def _is_family(thing: Any) -> bool:
    return isinstance(thing, type) and is_dataclass(thing) and callable(getattr(thing, "__call__", None))  # noqa: B004


CATALOGUE = Catalogue(
    kind="graph family",
    folder="narlab.data.graphs",
    attribute="Family",
    group="narlab.graphs",
    accepts=_is_family,
    wanted="a frozen dataclass whose instances draw graphs when called",
)
names, get = CATALOGUE.names, CATALOGUE.get


def parse(text: "str | GraphFamily") -> "GraphFamily":
    """The family that a text names; a family's class or instance is taken as it is.

    >>> parse("regular:k=4")
    Family(k=4)
    """
    if not isinstance(text, str):
        return get(text)() if isinstance(text, type) else _instance(text)
    name, options = _split(text.strip())
    family = get(name)
    return family(**_options(name, family, options))


def _instance(family: Any) -> "GraphFamily":
    if not _is_family(type(family)):
        raise UsageError(f"a graph family is written as text such as 'regular:k=4', got {family!r}")
    return family


def _split(text: str) -> tuple[str, list[str]]:
    """The name and the options of a family."""
    name, colon, rest = text.partition(":")
    second, more, options = rest.partition(":")
    if is_import_text(f"{name}:{second}"):
        return f"{name}:{second}", options.split(",") if more else []
    return name, rest.split(",") if colon else []


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
    if not _is_family(type(family)):
        raise UsageError(f"{family!r} is none of the graph families; known: {', '.join(names())}")
    types = get_type_hints(type(family))
    options = [f"{field.name}={types[field.name](getattr(family, field.name))!r}" for field in fields(family)]  # type: ignore[arg-type]
    return CATALOGUE.name_of(type(family)) + ":" * bool(options) + ",".join(options)
