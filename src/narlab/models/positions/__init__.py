"""The position encodings, one file each. A file holds a class `Position`, an `AbstractPosition`."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from torch import Tensor

from narlab.common.catalogue import Catalogue
from narlab.models.batch import Batch
from narlab.specs import Probe

__all__ = ["CATALOGUE", "AbstractPosition", "get", "name_of", "names"]


class AbstractPosition(ABC):
    """How nodes know their places; it takes the place of the input `pos`.

    `probe` says where its values belong and of what type they are; it is called `pos` and never enters the adjacency.
    With `needs_all_pairs` only processors that see all pairs of nodes can use it.
    """

    probe: ClassVar[Probe]
    needs_all_pairs: ClassVar[bool] = False

    @abstractmethod
    def values(self, batch: Batch, training: bool) -> Tensor:
        """The values of the probe, [B, ...] in its shape."""


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
names = CATALOGUE.names
name_of = CATALOGUE.name_of


def get(position: str | type[AbstractPosition]) -> type[AbstractPosition]:
    """The class of the position encoding of that name; a class is its own.

    >>> get("sinusoidal").probe.categories
    16
    """
    return CATALOGUE.get(position)
