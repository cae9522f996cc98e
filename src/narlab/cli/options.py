"""Kinds of options that several commands have. The help on an optional one says itself what holds without it."""

from pathlib import Path
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional, arg

AlgorithmName = Annotated[Positional[str], arg(metavar="ALGORITHM")]
OptionalInteger = Annotated[int | None, arg(metavar="INT", help_behavior_hint="")]
OptionalNumber = Annotated[float | None, arg(metavar="FLOAT", help_behavior_hint="")]
OptionalPath = Annotated[Path | None, arg(metavar="PATH", help_behavior_hint="")]
OptionalText = Annotated[str | None, arg(metavar="STR", help_behavior_hint="")]
Switch = Annotated[bool, FlagCreatePairsOff]
