"""The user's mistakes: the error for them, the nearest name for an unknown one, and checks of plain numbers."""

from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral


class UsageError(ValueError):
    """A user's mistake, in one line: the value, the valid ones, the remedy.

    The command line shows it without a traceback and exits with 2. Any other error is a bug and shows where.
    """


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint such as `did you mean 'bfs'? `, or nothing if no known name is near."""
    nearest = get_close_matches(str(name), list(known), n=1, cutoff=0.5)
    return f"did you mean {nearest[0]!r}? " if nearest else ""


def unknown(kind: str, name: object, known: Iterable[str]) -> UsageError:
    """The error for an unknown `kind` of thing.

    >>> unknown("processor", "mpn_g", ["gat", "mpnn_g"])
    UsageError("unknown processor 'mpn_g'; did you mean 'mpnn_g'? Known: gat, mpnn_g")
    """
    known = list(known)
    listing = ", ".join(known) if known else "none"
    return UsageError(f"unknown {kind} {name!r}; {did_you_mean(str(name), known)}Known: {listing}")


def check_integer(name: str, value: object, least: int) -> int:
    """An integer that is at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise UsageError(f"{name} must be an integer of at least {least}, got {value!r}")
    return int(value)


def check_count(count: object) -> int:
    """A number of samples."""
    return check_integer("count", count, 0)


def check_seed(seed: object) -> int:
    """A seed, which has 32 bits."""
    seed = check_integer("seed", seed, 0)
    if seed >= 2**32:
        raise UsageError(f"seed must be below 2**32, got {seed}")
    return seed
