"""What every position encoding is."""

from abc import ABC, abstractmethod
from typing import ClassVar

from torch import Tensor

from narlab.models.batch import Batch
from narlab.specs import Probe


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
