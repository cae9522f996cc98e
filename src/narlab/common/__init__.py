"""What every layer uses: the catalogue, errors, atomic files, compilation, words for people."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Generic, TextIO, TypeVar

Value = TypeVar("Value")


class computed_once(Generic[Value]):  # noqa: N801 (stands where a decorator does)
    """A property that keeps its value; Python's own takes a lock before version 3.12, which PyTorch can't export."""

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.compute, self.name, self.__doc__ = compute, compute.__name__, compute.__doc__

    def __get__(self, thing: Any, owner: type | None = None) -> Value:
        if thing is None:
            return self  # type: ignore[return-value]
        kept = thing.__dict__
        if self.name not in kept:
            kept[self.name] = self.compute(thing)
        return kept[self.name]


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names are loaded from their homes, `module` or `module:name`, when used."""

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = homes[name].partition(":")
        found = import_module(module)
        return getattr(found, attribute) if attribute else found

    return load


def duration(seconds: float) -> str:
    """A span of time for people: 3 s, 4 min, 2 h 05 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"


def counted(count: int, noun: str) -> str:
    """1 run, 2 runs."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def printable(text: str) -> str:
    r"""`text` in one line in which nothing steers a terminal: control characters are written as Python writes them.

    >>> printable("a\x1b[31m")
    'a\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter == " " else ascii(letter)[1:-1] for letter in text)


def say(text: object, to: TextIO | None = None) -> None:
    """A line on standard output, or elsewhere; what it tells, such as a path, steers no terminal."""
    print(printable(str(text)), file=to, flush=True)


def csv_cell(value: Any) -> Any:
    """A value for a cell of CSV that no spreadsheet takes for a formula: a text that looks like one gets an apostrophe.

    >>> csv_cell("=1+1"), csv_cell("-0.5"), csv_cell("bfs")
    ("'=1+1", '-0.5', 'bfs')
    """
    if not isinstance(value, str) or not value.startswith(("=", "+", "-", "@", "\t", "\r", "\n")):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def evenly(items: Sequence[Value], most: int) -> Sequence[Value]:
    """At most so many of the items, spread evenly; the last one is among them.

    >>> evenly(range(100), 4)
    [0, 33, 66, 99]
    """
    if len(items) <= most:
        return items
    return [items[round(k * (len(items) - 1) / (most - 1))] for k in range(most)] if most > 1 else [items[-1]]
