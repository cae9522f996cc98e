"""What a model does with hints.

The last two are approaches that the paper found to fail, kept for those who want to try again.
"""

from dataclasses import dataclass

from narlab.common.names import unknown


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
        return self.encoded or self.decoded or self.masks_updates


MODES = {
    "none": HintMode(),
    "encoded_decoded": HintMode(encoded=True, decoded=True),
    "decoded_only": HintMode(decoded=True),
    "markovian": HintMode(encoded=True, decoded=True, carries_state=False),
    "update_mask": HintMode(masks_updates=True),
}


def mode(name: str) -> HintMode:
    """The mode called `name`."""
    if name not in MODES:
        raise unknown("hint mode", name, MODES)
    return MODES[name]
