"""The user's mistakes: the error for them, the nearest name for an unknown one, and checks of values.

What a file from outside holds is checked against a schema: a value of one of the kinds below, which are put together as
the file is. With `RESULT = Record({"step": Whole(), "val": Number(0, 1)})`, `RESULT.check(content)` names the first
field that is wrong and what is valid.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from math import inf, isfinite
from numbers import Integral
from typing import Any, Protocol

LARGEST = 2**63 - 1  # what fits 64 bits: more is no number of anything here
LONGEST = 1000  # letters of a name or a text in a file
DEEPEST = 20  # lists in lists


class UsageError(ValueError):
    """A user's mistake, in one line: the value, the valid ones, the remedy.

    The command line shows it without a traceback and exits with 2. Any other error is a bug and shows where.
    """


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint such as `did you mean 'bfs'? `, or nothing if no known name is near."""
    nearest = get_close_matches(str(name)[:LONGEST], list(known), n=1, cutoff=0.5)
    return f"did you mean {nearest[0]!r}? " if nearest else ""


def unknown(kind: str, name: object, known: Iterable[str]) -> UsageError:
    """The error for an unknown `kind` of thing.

    >>> unknown("processor", "mpn_g", ["gat", "mpnn_g"])
    UsageError("unknown processor 'mpn_g'; did you mean 'mpnn_g'? Known: gat, mpnn_g")
    """
    known = list(known)
    listing = ", ".join(known) if known else "none"
    return UsageError(f"unknown {kind} {brief(name)}; {did_you_mean(str(name), known)}Known: {listing}")


def check_integer(name: str, value: object, least: int, most: int = LARGEST) -> int:
    """An integer that is at least `least` and at most `most`."""
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
    if number is None or not least <= number <= most:
        bound = f"of at least {least}" if most == LARGEST else f"from {least} to {most}"
        limit = ", below 2**63" if number is not None and number > most == LARGEST else ""
        raise UsageError(f"{name} must be an integer {bound}{limit}, got {brief(value)}")
    return number


def check_count(count: object) -> int:
    """A number of samples."""
    return check_integer("count", count, 0)


def check_seed(seed: object) -> int:
    """A seed, which has 32 bits."""
    seed = check_integer("seed", seed, 0)
    if seed >= 2**32:
        raise UsageError(f"seed must be below 2**32, got {seed}")
    return seed


def brief(value: object) -> str:
    """A value for a message: whole if it is short, and never so deep or long that telling it fails."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, list | tuple | dict):
        parts = list(value.values() if isinstance(value, dict) else value)
        if len(parts) > 3 or not all(isinstance(part, str | float | bool | None) or _is_small(part) for part in parts):
            return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:120]}... ({len(text)} characters)"


def _is_small(value: object) -> bool:
    return isinstance(value, int) and value.bit_length() <= 128


class Kind(Protocol):
    """What a value must be."""

    @property
    def words(self) -> str:
        """For people: `an integer of at least 1`."""

    def check(self, value: Any, where: str = "") -> None:
        """Raise a `UsageError` that names the field `where`, unless the value is of this kind."""


@lru_cache(maxsize=1024)  # the same few names are met in every line of a log
def _field(name: str) -> str:
    """The name of a field for a message."""
    return brief(name)[1:-1]


def _refuse(kind: Kind, value: Any, where: str) -> UsageError:
    return UsageError(f"{where or 'it'} must be {kind.words}, got {brief(value)}")


def fits(kind: Kind, value: Any) -> bool:
    """Whether a value is of a kind."""
    try:
        kind.check(value)
    except UsageError:
        return False
    return True


@dataclass(frozen=True)
class Whole:
    """An integer within bounds."""

    least: int = 0
    most: int = LARGEST

    @property
    def words(self) -> str:
        most = "below 2**63" if self.most == LARGEST else f"at most {self.most}"
        return f"an integer of at least {self.least}, {most}"

    def check(self, value: Any, where: str = "") -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not self.least <= value <= self.most:
            raise _refuse(self, value, where)


@dataclass(frozen=True)
class Number:
    """A finite number within bounds; with `or_not_finite`, also infinities and what is not a number."""

    least: float = -inf
    most: float = inf
    or_not_finite: bool = False

    @property
    def words(self) -> str:
        kind = "a number" if self.or_not_finite else "a finite number"
        if self.least == -inf:
            return kind
        return f"{kind} of at least {self.least}" if self.most == inf else f"a number from {self.least} to {self.most}"

    def check(self, value: Any, where: str = "") -> None:
        if type(value) is float and isfinite(value) and self.least <= value <= self.most:
            return  # at once what nearly all are
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _refuse(self, value, where)
        if isinstance(value, int):
            right = -LARGEST <= value <= LARGEST and self.least <= value <= self.most
        else:
            right = self.least <= value <= self.most if isfinite(value) else self.or_not_finite
        if not right:
            raise _refuse(self, value, where)


@dataclass(frozen=True)
class Text:
    """A text of one line without control characters."""

    longest: int = LONGEST

    @property
    def words(self) -> str:
        return f"a text of at most {self.longest} characters without control characters"

    def check(self, value: Any, where: str = "") -> None:
        if not isinstance(value, str) or len(value) > self.longest or not value.isprintable():
            raise _refuse(self, value, where)


@dataclass(frozen=True)
class Nothing:
    """`null`."""

    words: str = "null"

    def check(self, value: Any, where: str = "") -> None:
        if value is not None:
            raise _refuse(self, value, where)


@dataclass(frozen=True)
class Switch:
    """`true` or `false`."""

    words: str = "true or false"

    def check(self, value: Any, where: str = "") -> None:
        if not isinstance(value, bool):
            raise _refuse(self, value, where)


@dataclass(frozen=True)
class Plain:
    """Anything that a list, an object, a text, a number, a switch or nothing can say, not nested too deeply."""

    words: str = f"lists and objects in one another at most {DEEPEST} deep"

    def check(self, value: Any, where: str = "") -> None:
        inner = [value]
        for _ in range(DEEPEST):
            groups = (
                each.values() if isinstance(each, dict) else each for each in inner if isinstance(each, dict | list)
            )
            inner = [part for group in groups for part in group]
            if not inner:
                return
        raise _refuse(self, value, where)


class Either:
    """One of several kinds."""

    def __init__(self, *kinds: Kind) -> None:
        self.kinds = kinds

    @property
    def words(self) -> str:
        return " or ".join(kind.words for kind in self.kinds)

    def check(self, value: Any, where: str = "") -> None:
        for kind in self.kinds:
            try:
                return kind.check(value, where)
            except UsageError as error:
                if isinstance(kind, Items | Record) and isinstance(value, list | dict):
                    raise error  # says more than that it is of no kind
        raise _refuse(self, value, where)


@dataclass(frozen=True)
class Items:
    """A list of values of one kind."""

    of: Kind
    least: int = 0
    most: int = 10**7

    @property
    def words(self) -> str:
        length = f" of {self.least}" if self.least == self.most else ""
        return f"a list{length}, each {self.of.words}"

    def check(self, value: Any, where: str = "") -> None:
        if not isinstance(value, list | tuple) or not self.least <= len(value) <= self.most:
            raise _refuse(self, value, where)
        for k, item in enumerate(value):
            self.of.check(item, f"{where}[{k}]")


@dataclass(frozen=True)
class Record:
    """An object: the fields that it needs, those that it may have, and what all `others` are, if there may be any."""

    needed: Mapping[str, Kind] = field(default_factory=dict)
    optional: Mapping[str, Kind] = field(default_factory=dict)
    others: Kind | None = None

    @property
    def words(self) -> str:
        return f"an object with {', '.join(self.needed)}" if self.needed else "an object"

    def check(self, value: Any, where: str = "") -> None:
        if not isinstance(value, dict):
            raise _refuse(self, value, where)
        at = f"{where}." if where else ""
        for name, kind in self.needed.items():
            if name not in value:
                raise UsageError(f"{at}{name} is missing; it must be {kind.words}")
        for name, item in value.items():
            found = self.needed.get(name) or self.optional.get(name) or self.others
            if found is None:
                raise unknown(f"field of {where or 'it'}", name, [*self.needed, *self.optional])
            found.check(item, at + _field(name))
