"""Errors for names that nobody knows: they say what is known and which was probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches

from narlab.common.errors import UsageError


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
