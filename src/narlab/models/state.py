"""What a network carries from step to step."""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class State:
    """Node state h [B, N, H] and edge state e [B, N, N, H]; `None` stands for an edge state of zeros.

    `pairs` [B, N, N, `pair_width`] is what a step found out about pairs beside the state: a readout may look at it, the
    next step does not. Most processors have none.
    """

    h: Tensor
    e: Tensor | None = None
    pairs: Tensor | None = None
