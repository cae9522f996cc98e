"""What every processor is."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from torch import nn

from narlab.models.encoders import Features
from narlab.models.fast.kernel import AbstractKernel
from narlab.models.pairs import Pairs
from narlab.models.state import State
from narlab.models.topology import Topology


class AbstractProcessor(nn.Module, ABC):
    """A recurrent step over the state of a batch of graphs.

    `pairs` says which pairs of nodes it sees, `kernel` what does exactly its steps in compiled code, if anything does.
    """

    pairs: Pairs
    kernel: ClassVar[type[AbstractKernel] | None] = None

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
