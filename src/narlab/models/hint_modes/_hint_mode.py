"""What a model does with hints."""

from dataclasses import dataclass


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
