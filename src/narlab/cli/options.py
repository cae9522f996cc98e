"""Kinds of options that several commands have."""

from pathlib import Path
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional, arg

AlgorithmName = Annotated[Positional[str], arg(metavar="ALGORITHM")]
OptionalInteger = Annotated[int | None, arg(metavar="INT")]
OptionalNumber = Annotated[float | None, arg(metavar="FLOAT")]
OptionalPath = Annotated[Path | None, arg(metavar="PATH")]
OptionalText = Annotated[str | None, arg(metavar="STR")]
Switch = Annotated[bool, FlagCreatePairsOff]
