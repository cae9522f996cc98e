"""The hint modes, one file each: what a model does with hints. A file holds `HINT_MODE`.

The paper (https://arxiv.org/abs/2211.00692) turns hints off after its first table; `markovian` and `update_mask` are
approaches that it found to fail, kept for those who want to try again.
"""

from typing import Any

from narlab.common.catalogue import Catalogue
from narlab.models.hint_modes._hint_mode import HintMode

__all__ = ["CATALOGUE", "HintMode", "get", "name_of", "names"]


def _is_hint_mode(thing: Any) -> bool:
    return isinstance(thing, HintMode)


CATALOGUE = Catalogue(
    kind="hint mode",
    folder="narlab.models.hint_modes",
    attribute="HINT_MODE",
    group="narlab.hint_modes",
    accepts=_is_hint_mode,
    wanted="a name, package.module:Name or a HintMode",
)
names, name_of = CATALOGUE.names, CATALOGUE.name_of


def get(mode: str | HintMode) -> HintMode:
    """The hint mode of that name; a `HintMode` is its own.

    >>> get("decoded_only").needs_hints
    True
    """
    return CATALOGUE.get(mode)
