"""The readouts, one file each: how answers are read from the last states. A file holds a class `Readout`."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from torch import Tensor, nn

from narlab.common.catalogue import Catalogue
from narlab.models.batch import Tensors
from narlab.models.encoders import Features, one_hot
from narlab.models.processors import AbstractProcessor
from narlab.models.topology import State
from narlab.specs import Probe, Type

__all__ = ["CATALOGUE", "AbstractReadout", "FinalState", "get", "harden", "name_of", "names"]


@dataclass(frozen=True)
class FinalState:
    """What a readout sees: features, the state before the last step and after it.

    `kernels` says whether compiled kernels may read it.
    """

    features: Features
    before: State
    after: State
    kernels: bool = False

    @property
    def node(self) -> tuple[Tensor, Tensor, Tensor]:
        """The parts of every node, [B, N, H] each."""
        return self.features.node, self.before.h, self.after.h

    @property
    def edge(self) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        """The parts of every pair, [B, N, N, H] each; `None` stands for zeros."""
        return self.features.edge.everywhere, self.before.e, self.after.e

    @property
    def graph(self) -> Tensor:
        """The features alone, [B, H]."""
        return self.features.graph

    @property
    def pairs(self) -> Tensor | None:
        """What the last step says of pairs beside the state, [B, N, N, ...]."""
        return self.after.pairs

    def of_graphs(self, chosen: Tensor) -> "FinalState":
        """That of some graphs of the batch."""
        before, after = self.before.of_graphs(chosen), self.after.of_graphs(chosen)
        return FinalState(self.features.of_graphs(chosen), before, after, self.kernels)

    def reversed_edge(self) -> tuple[Tensor | None, ...]:
        """The parts of pair (j, i) at (i, j)."""
        return tuple(None if part is None else part.transpose(1, 2) for part in self.edge)


class AbstractReadout(nn.Module, ABC):
    """The logits of some probes from the final state; made by `Readout(probes, hidden)`."""

    def __init__(self, probes: Sequence[Probe], hidden: int) -> None:
        super().__init__()
        self.probes = tuple(probes)

    @classmethod
    def of(cls, probes: Sequence[Probe], hidden: int, processor: AbstractProcessor) -> Self:
        """The readout of what `processor` makes; one that looks at more than its states of this width says so here."""
        return cls(probes, hidden)

    @abstractmethod
    def forward(self, final: FinalState) -> Tensors:
        """Logits [B, ...] by probe name, in the shape of the probe's values; a pointer's have N choices behind."""


def harden(probe: Probe, logits: Tensor) -> Tensor:
    """The values that logits stand for: those of the probe itself."""
    if probe.type is Type.MASK:
        return (logits > 0).float()
    if probe.type is Type.POINTER:
        return logits.argmax(-1)
    if probe.type in (Type.MASK_ONE, Type.CATEGORICAL):
        return one_hot(logits.argmax(-1), logits.shape[-1])
    return logits


def _is_readout(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, AbstractReadout)


CATALOGUE = Catalogue(
    kind="readout",
    folder="narlab.models.readouts",
    attribute="Readout",
    group="narlab.readouts",
    accepts=_is_readout,
    wanted="a name, package.module:Name or a subclass of AbstractReadout",
)
names = CATALOGUE.names
name_of = CATALOGUE.name_of


def get(readout: str | type[AbstractReadout]) -> type[AbstractReadout]:
    """The class of the readout of that name; a class is its own."""
    return CATALOGUE.get(readout)
