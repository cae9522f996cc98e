"""Hybrid-Sigmoid: two processors, MPNN-G and 2WL unless others are named, and a gate for each node."""

from torch import Tensor

from narlab.models.encoders import new_linear
from narlab.models.kernels.hybrid import GatedKernel
from narlab.models.processors import AbstractProcessor
from narlab.models.processors._hybrid import Hybrid
from narlab.models.topology import State


class Processor(Hybrid):
    """h'_i = g_i h1_i + (1 - g_i) h2_i, e'_ij = g_i e1_ij + (1 - g_i) e2_ij;

    g_i = sigmoid(w h_i + b) of the state before. See the paper (https://arxiv.org/abs/2211.00692).

    >>> import narlab
    >>> model = narlab.models.build("bfs", processor="hybrid_sigmoid", hidden=8, depth=2)
    >>> batch = narlab.models.make_batch(narlab.data.custom("bfs", n=4, count=2))
    >>> model(batch).outputs["pi"].shape
    torch.Size([2, 4, 4])
    """

    kernel = GatedKernel

    def __init__(self, hidden: int, first: AbstractProcessor, second: AbstractProcessor) -> None:
        super().__init__(hidden, first, second)
        self.gate = new_linear(hidden, 1)

    def share(self, state: State) -> Tensor:
        return self.gate(state.h).sigmoid()
