"""Things with options as text: `ws:k=4,p=0.1`, `ladder:sizes=4+7+16,averaging=0.999`, `package.module:Name:k=4`."""

from collections.abc import Iterable, Sequence
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from narlab.common.catalogue import is_import_text
from narlab.common.errors import UsageError, unknown

KINDS = {int: "an integer", float: "a number", bool: "true or false", str: "a text", NoneType: "none"}
SWITCHES = {"true": True, "false": False}
BETWEEN = "+"  # the parts of a list; a comma stands between options


def split(text: str) -> tuple[str, list[str]]:
    """The name of a thing, which may be `package.module:Name`, and its options.

    >>> split("ws:k=4,p=0.1"), split("tree")
    (('ws', ['k=4', 'p=0.1']), ('tree', []))
    """
    name, colon, rest = text.strip().partition(":")
    second, more, options = rest.partition(":")
    if is_import_text(f"{name}:{second}"):
        return f"{name}:{second}", options.split(",") if more else []
    return name, rest.split(",") if colon else []


def read(kind: str, name: str, pieces: Sequence[str], *, of: type, known: Iterable[str]) -> dict[str, Any]:
    """The values of the options `key=value` of the thing called `name`, in the types of the dataclass `of`.

    >>> from narlab.data.graphs.regular import Family
    >>> read("graph family", "regular", ["k=4"], of=Family, known=["k"])
    {'k': 4}
    """
    values: dict[str, Any] = {}
    if not pieces:
        return values
    thing, types, known = f"{kind} {name!r}", get_type_hints(of), list(known)
    for piece in pieces:
        key, equals, value = (part.strip() for part in piece.partition("="))
        if not equals:
            raise UsageError(f"options of {thing} are written key=value, got {piece!r}")
        if key not in known:
            raise unknown(f"option of {name}", key, known)
        if key in values:
            raise UsageError(f"option {key!r} of {thing} is given twice; give it once")
        try:
            values[key] = _value(types[key], value)
        except (ValueError, KeyError):
            raise UsageError(f"option {key!r} of {thing} must be {_words(types[key])}, got {value!r}") from None
    return values


def write(value: Any) -> str:
    """The text that `read` takes for a value."""
    if isinstance(value, tuple | list):
        return BETWEEN.join(map(write, value))
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else repr(value)


def _value(kind: Any, text: str) -> Any:
    if get_origin(kind) in (Union, UnionType):
        return _first_that_fits(get_args(kind), text)
    if get_origin(kind) is tuple:
        return tuple(_value(get_args(kind)[0], part) for part in text.split(BETWEEN) if part)
    if kind is NoneType:
        return {"none": None}[text]
    return SWITCHES[text] if kind is bool else kind(text)


def _first_that_fits(kinds: Sequence[Any], text: str) -> Any:
    """The kinds are tried in their order, but a text, which everything is, last, and nothing at all first."""
    order = sorted(kinds, key=lambda kind: (kind is str) - (kind is NoneType))
    for kind in order[:-1]:
        try:
            return _value(kind, text)
        except (ValueError, KeyError):
            continue
    return _value(order[-1], text)


def _words(kind: Any) -> str:
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(map(_words, get_args(kind)))
    if get_origin(kind) is tuple:
        return f"a list with {BETWEEN} between, each {_words(get_args(kind)[0])}"
    return KINDS[kind]
