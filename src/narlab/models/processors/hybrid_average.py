"""Hybrid-Average: the mean of two processors, MPNN-G and 2WL unless others are named."""

from narlab.models.kernels.hybrid import AverageKernel
from narlab.models.processors._hybrid import Hybrid
from narlab.models.topology import State


class Processor(Hybrid):
    """h' = (h1 + h2) / 2, e' = (e1 + e2) / 2. See the paper (https://arxiv.org/abs/2211.00692).

    >>> import narlab
    >>> model = narlab.models.build("bfs", processor="hybrid_average:mpnn_g+two_wl", hidden=8, depth=2)
    >>> batch = narlab.models.make_batch(narlab.data.custom("bfs", n=4, count=2))
    >>> model(batch).outputs["pi"].shape
    torch.Size([2, 4, 4])
    """

    kernel = AverageKernel

    def share(self, state: State) -> float:
        return 0.5
