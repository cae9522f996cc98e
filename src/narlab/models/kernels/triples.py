"""Reading numbers of triples of nodes with a compiled kernel."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from narlab.kernels import triples as kernel
from narlab.kernels.lanes import LANES
from narlab.models.kernels import Arrays, Computation, Sums, call, in_groups, is_plain


def can_read_triples(of_pair: nn.Linear, of_first: nn.Linear, of_second: nn.Linear, out: nn.Linear) -> bool:
    """Whether `read_triples` does what the layers say."""
    have_bias, have_none = (of_pair, out), (of_first, of_second)
    is_known = all(map(is_plain, have_bias)) and all(is_plain(layer, has_bias=False) for layer in have_none)
    return is_known and out.in_features % LANES == 0


def read_triples(
    parts: Sequence[Tensor], of_pair: nn.Linear, of_first: nn.Linear, of_second: nn.Linear, out: nn.Linear
) -> Tensor:
    """`out` of the rectified sum of of_pair(x_ij), of_first(x_ik) and of_second(x_kj), [B, N, N, N].

    The parts of x [B, N, N, ...] stand beside each other.
    """
    maps = torch.cat([of_pair.weight, of_first.weight, of_second.weight]).T
    rows = [part.flatten(1, 2) for part in parts]
    (numbers,) = call(Triples(parts[0].shape[1]), maps, of_pair.bias, out.weight, out.bias, *rows)
    return numbers


class Triples(Computation):
    """w relu(x_ij U + b + x_ik V + x_kj W) + o [B, N, N, N].

    Of U, V and W beside each other [W, 3H], of b, w [1, H] and o, and of the parts of x [B, N N, W].
    """

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes

    def forward(self, *inputs: np.ndarray) -> Arrays:
        self.weights, self.parts = inputs[:4], inputs[4:]
        graphs = len(self.parts[0])
        self.kept = self._new_mapped(graphs if self.keeps else 0)
        out = np.empty((graphs, *[self.nodes] * 3), np.float32)

        def work(g: int, group: tuple[int, int]) -> None:
            kept = self.kept if self.keeps else self._new_mapped(1)
            kernel.forward(self.parts, self.weights, self.nodes, kept, out, group)

        in_groups(work, graphs, uses_blas=False)
        return [out]

    def backward(self, *gradients: np.ndarray) -> Arrays:
        d_parts, sums = tuple(map(np.empty_like, self.parts)), Sums(self.weights, len(self.kept))
        inputs = (self.parts, self.weights, self.kept)

        def work(g: int, group: tuple[int, int]) -> None:
            kernel.backward(inputs, self.nodes, gradients[0], (d_parts, tuple(sums.of_group(g))), group)

        in_groups(work, len(self.kept), uses_blas=False)
        return [*sums.total(), *d_parts]

    def _new_mapped(self, graphs: int) -> np.ndarray:
        return np.empty((graphs, self.nodes**2, self.weights[0].shape[1]), np.float32)
