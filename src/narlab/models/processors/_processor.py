"""What every processor is."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from torch import nn

from narlab.models.encoders import Features
from narlab.models.kernels import AbstractKernel
from narlab.models.state import State
from narlab.models.topology import Topology
from narlab.models.visible_pairs import VisiblePairs


class Memory(StrEnum):
    """What a processor's step without a kernel needs memory for."""

    PAIRS = "all pairs of nodes"
    TRIPLES = "all triples of nodes"


@dataclass(frozen=True)
class Facts:
    """What follows from the choice of a processor; see `AbstractProcessor`."""

    width: int
    batch_size: int
    pairs: VisiblePairs
    memory: Memory
    width_multiple: int = 1


class AbstractProcessor(nn.Module, ABC):
    """A recurrent step over the state of a batch of graphs; made by `Processor(hidden)`, a hybrid also of its parts.

    A class says by itself what follows from it: `default_width` and `batch_size` are those of models and of training
    where none are given, `width_multiple` what a width must be a multiple of, `pairs` the pairs of nodes that it sees,
    `memory` what a step needs memory for, `parts` the names of the processors that it is made of if none are given, and
    `kernel` what does exactly its steps in compiled code, if anything does. With `has_pair_state` the state of pairs is
    its own work, not only passed through; `pair_width` is the width of `State.pairs`.
    """

    default_width: ClassVar[int] = 128
    width_multiple: ClassVar[int] = 1
    batch_size: ClassVar[int] = 32
    pairs: VisiblePairs = VisiblePairs.GRAPH
    memory: Memory = Memory.PAIRS
    parts: ClassVar[tuple[str, ...]] = ()
    kernel: ClassVar[type[AbstractKernel] | None] = None
    has_pair_state: bool = False
    pair_width: int = 0

    @classmethod
    def facts(cls, *parts: Facts) -> Facts:
        """What follows from this class and from the facts of its parts."""
        return Facts(cls.default_width, cls.batch_size, cls.pairs, cls.memory, cls.width_multiple)

    @abstractmethod
    def prepare(self, features: Features, topology: Topology) -> Any:
        """Everything that does not change between steps."""

    @abstractmethod
    def step(self, state: State, prepared: Any) -> State:
        """The next state, with what `prepare` has made."""

    def steps(self, state: State, prepared: Any, count: int) -> tuple[State, State]:
        """The last two states after some steps."""
        before = state
        for _ in range(count):
            before, state = state, self.step(state, prepared)
        return before, state
