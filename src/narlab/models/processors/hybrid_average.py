"""Hybrid-Average: the mean of two processors, MPNN-G and 2WL unless others are named."""

from narlab.models.fast.hybrid import AverageKernel
from narlab.models.hybrid import Hybrid
from narlab.models.state import State


class Processor(Hybrid):
    """h' = (h1 + h2) / 2, e' = (e1 + e2) / 2."""

    kernel = AverageKernel

    def share(self, state: State) -> float:
        return 0.5
