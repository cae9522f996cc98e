"""The position encodings, one file each. A file holds a class `Position`, an `AbstractPosition`."""

from typing import Any

from narlab.common.catalogue import Catalogue
from narlab.models.positions._position import AbstractPosition

__all__ = ["CATALOGUE", "AbstractPosition", "get", "name_of", "names"]


def _is_position(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, AbstractPosition)


CATALOGUE = Catalogue(
    kind="position encoding",
    folder="narlab.models.positions",
    attribute="Position",
    group="narlab.positions",
    accepts=_is_position,
    wanted="a name, package.module:Name or a subclass of AbstractPosition",
)
names, name_of = CATALOGUE.names, CATALOGUE.name_of


def get(position: str | type[AbstractPosition]) -> type[AbstractPosition]:
    """The class of the position encoding of that name; a class is its own.

    >>> get("sinusoidal").probe.categories
    16
    """
    return CATALOGUE.get(position)
