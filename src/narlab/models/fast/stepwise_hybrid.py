"""Hybrids of any two parts that have twins, one step at a time."""

from narlab.models.encoders import Features
from narlab.models.fast import Twin
from narlab.models.hybrid import Hybrid, Prepared
from narlab.models.state import State
from narlab.models.topology import Topology


class StepwiseHybrid:
    """The twin of a `Hybrid` for whose parts together there is no kernel."""

    def __init__(self, processor: Hybrid, first: Twin, second: Twin) -> None:
        self.processor, self.first, self.second = processor, first, second

    def prepare(self, features: Features, topology: Topology) -> Prepared:
        first, second = self.processor.topologies(topology)
        return Prepared(self.first.prepare(features, first), self.second.prepare(features, second))

    def steps(self, state: State, prepared: Prepared, count: int) -> tuple[State, State]:
        before = state
        for _ in range(count):
            before = state
            _, first = self.first.steps(state, prepared.first, 1)
            _, second = self.second.steps(state, prepared.second, 1)
            state = self.processor.join(state, first, second)
        return before, state
