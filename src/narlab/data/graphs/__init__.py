"""The families of random graphs, one file each; a file's name is the family's, its `Family`'s fields are the options.

A family is written as its name and options: `tree`, `regular:k=4`, `ws:k=4,p=0.1`; one from outside also as
`package.module:Name`, with options as `package.module:Name:k=4`.
"""

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, get_type_hints

from narlab.common.catalogue import Catalogue, read_options, split_list, split_options, write_option
from narlab.common.errors import UsageError

if TYPE_CHECKING:
    from narlab.algorithms.sampling.graphs import GraphFamily


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
    name, pieces = split_options(text)
    family = get(name)
    known = [field.name for field in fields(family)]
    return family(**read_options("graph family", name, pieces, of=family, known=known))


def _instance(family: Any) -> "GraphFamily":
    if not _is_family(type(family)):
        raise UsageError(f"a graph family is written as text such as 'regular:k=4', got {family!r}")
    return family


def parse_list(text: str) -> list["GraphFamily"]:
    """The families of a list such as `er,ws:k=4,p=0.1,tree`; a piece such as `p=0.1` belongs to the one before it."""
    return [parse(family) for family in split_list("family", text, example="er")]


def describe(family: "GraphFamily") -> str:
    """The text that `parse` reads back as `family`, with all options."""
    if not _is_family(type(family)):
        raise UsageError(f"{family!r} is none of the graph families; known: {', '.join(names())}")
    types = get_type_hints(type(family))
    given = [f"{field.name}={write_option(types[field.name](getattr(family, field.name)))}" for field in fields(family)]  # type: ignore[arg-type]
    return CATALOGUE.name_of(type(family)) + ":" * bool(given) + ",".join(given)
