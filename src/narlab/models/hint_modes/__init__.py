"""The hint modes, one file each: what a model does with hints. A file holds `HINT_MODE`.

The paper (https://arxiv.org/abs/2211.00692) turns hints off after its first table; `markovian` and `update_mask` are
approaches that it found to fail, kept for those who want to try again.
"""

from dataclasses import dataclass
from typing import Any

from narlab.common.catalogue import Catalogue

__all__ = ["CATALOGUE", "HintMode", "get", "name_of", "names"]


@dataclass(frozen=True)
class HintMode:
    """`encoded`: hints join the features of each step (the true ones in training, the model's own in evaluation).

    `decoded`: the next step's hints are predicted and join the loss. `carries_state`: the state goes on from step to
    step. `masks_updates`: a gate decides which nodes change their state, and is taught which nodes' hints change.
    """

    encoded: bool = False
    decoded: bool = False
    carries_state: bool = True
    masks_updates: bool = False

    @property
    def needs_hints(self) -> bool:
        """Whether batches must bring hints."""
        return self.encoded or self.decoded or self.masks_updates


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
names = CATALOGUE.names
name_of = CATALOGUE.name_of


def get(mode: str | HintMode) -> HintMode:
    """The hint mode of that name; a `HintMode` is its own.

    >>> get("decoded_only").needs_hints
    True
    """
    return CATALOGUE.get(mode)
