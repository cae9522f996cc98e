"""Quantisers of the node state, one file each; the paper found them to fail, here is what it takes to try again.

A file holds a class `Quantiser(hidden)`, an `nn.Module` that maps a state [B, N, H] and a random generator to a
quantised state and a penalty for the loss.
"""

from typing import Any

from torch import nn

from narlab.common.catalogue import Catalogue

__all__ = ["CATALOGUE", "get", "name_of", "names"]


def _is_quantiser(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, nn.Module)


CATALOGUE = Catalogue(
    kind="quantiser",
    folder="narlab.models.quantisers",
    attribute="Quantiser",
    group="narlab.quantisers",
    accepts=_is_quantiser,
    wanted="a name, package.module:Name or a subclass of torch.nn.Module",
)
names = CATALOGUE.names
name_of = CATALOGUE.name_of


def get(quantiser: str | type[nn.Module]) -> type[nn.Module]:
    """The class of the quantiser of that name; a class is its own."""
    return CATALOGUE.get(quantiser)
