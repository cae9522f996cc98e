"""The readouts, one file each: how answers are read from the last states. A file holds a class `Readout`."""

from typing import Any

from narlab.common.catalogue import Catalogue
from narlab.models.readouts._readout import AbstractReadout, FinalState, harden

__all__ = ["CATALOGUE", "AbstractReadout", "FinalState", "get", "harden", "name_of", "names"]


def _is_readout(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, AbstractReadout)


CATALOGUE = Catalogue(
    kind="readout",
    folder="narlab.models.readouts",
    attribute="Readout",
    group="narlab.readouts",
    accepts=_is_readout,
    wanted="a name, package.module:Name or a subclass of AbstractReadout",
)
names, name_of = CATALOGUE.names, CATALOGUE.name_of


def get(readout: str | type[AbstractReadout]) -> type[AbstractReadout]:
    """The class of the readout of that name; a class is its own."""
    return CATALOGUE.get(readout)
