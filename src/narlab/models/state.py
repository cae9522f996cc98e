"""What a network carries from step to step."""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class State:
    """Node state h [B, N, H] and edge state e [B, N, N, H]; `None` stands for an edge state of zeros."""

    h: Tensor
    e: Tensor | None = None
