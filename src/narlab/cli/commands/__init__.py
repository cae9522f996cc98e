"""The commands, one file each, and the kinds of options that several of them have.

The help on an optional one says itself what holds without it. A list is one text with commas, `16,32,64`, wherever a
command takes one.
"""

from pathlib import Path
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional, arg

from narlab.common.errors import UsageError

AlgorithmName = Annotated[Positional[str], arg(metavar="ALGORITHM")]
OptionalAlgorithmName = Annotated[Positional[str | None], arg(metavar="[ALGORITHM]", help_behavior_hint="")]
OptionalInteger = Annotated[int | None, arg(metavar="INT", help_behavior_hint="")]
OptionalNumber = Annotated[float | None, arg(metavar="FLOAT", help_behavior_hint="")]
OptionalPath = Annotated[Path | None, arg(metavar="PATH", help_behavior_hint="")]
OptionalText = Annotated[str | None, arg(metavar="STR", help_behavior_hint="")]
Switch = Annotated[bool, FlagCreatePairsOff]
ListOfNames = Annotated[str | None, arg(metavar="NAME,...", help_behavior_hint="")]
OptionalPair = Annotated[str | None, arg(metavar="LOW,HIGH", help_behavior_hint="")]


def names_in(option: str, text: str | None) -> tuple[str, ...]:
    """The names of a list, each once; none if it was left out."""
    if text is None:
        return ()
    found = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    if "" in found:
        raise UsageError(f"{option} is a list with commas such as bfs,dfs, got {text!r}")
    return found


def integers_in(option: str, text: str) -> tuple[int, ...]:
    """The integers of a list, each once."""
    try:
        return tuple(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError:
        raise UsageError(f"{option} must be integers with commas between, such as 16,64, got {text!r}") from None


def pair_in(option: str, text: str) -> tuple[float, float]:
    """Two numbers."""
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"{option} must be two numbers with a comma between, such as 0.5,1.0, got {text!r}") from None
    return low, high
