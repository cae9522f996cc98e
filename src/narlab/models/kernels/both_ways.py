"""Reading numbers of pairs, from them and those that point back, with a compiled kernel."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from narlab.kernels import both_ways as kernel
from narlab.kernels.lanes import LANES
from narlab.models.kernels import Arrays, Computation, Sums, call, in_groups, is_plain


def can_read_pairs(of_pair: nn.Linear, out: nn.Linear) -> bool:
    """Whether `read_pairs` does what the layers say."""
    return is_plain(of_pair) and is_plain(out) and out.in_features % LANES == 0


def read_pairs(parts: Sequence[Tensor], of_pair: nn.Linear, out: nn.Linear, *, slope_when_off: float) -> Tensor:
    """`out` of the rectified `of_pair` of [x_ij, x_ji], [B, N, N, C]; backward, a unit that is off has the given slope.

    The parts of x [B, N, N, ...] stand beside each other.
    """
    maps = torch.cat(of_pair.weight.chunk(2, 1)).T
    sizes, rows = parts[0].shape[1:3], [part.flatten(1, 2) for part in parts]
    (numbers,) = call(BothWays(sizes[0], slope_when_off), maps, of_pair.bias, out.weight, out.bias, *rows)
    return numbers.unflatten(1, sizes)


class BothWays(Computation):
    """O relu(x_ij U + x_ji V + b) + o [B, N N, C].

    Of U and V beside each other [W, 2H], of b, O [C, H] and o, and of the parts of x [B, N N, W].

    PyTorch would copy the parts to put them beside each other, and their gradients once more.
    """

    def __init__(self, nodes: int, slope_when_off: float) -> None:
        self.nodes, self.slope_when_off = nodes, np.float32(slope_when_off)

    def forward(self, *inputs: np.ndarray) -> Arrays:
        self.weights, self.parts = inputs[:4], inputs[4:]
        graphs, channels = len(self.parts[0]), len(self.weights[3])
        self.kept = self._new_hidden(graphs if self.keeps else 0)
        out = np.empty((graphs, self.nodes**2, channels), np.float32)

        def work(g: int, group: tuple[int, int]) -> None:
            kept = self.kept if self.keeps else self._new_hidden(1)
            kernel.forward(self.parts, self.weights, self.nodes, kept, out, group)

        in_groups(work, graphs, uses_blas=False)
        return [out]

    def backward(self, *gradients: np.ndarray) -> Arrays:
        d_parts, sums = tuple(map(np.empty_like, self.parts)), Sums(self.weights, len(self.kept))
        inputs = (self.parts, self.weights, self.kept)

        def work(g: int, group: tuple[int, int]) -> None:
            of_group = (d_parts, tuple(sums.of_group(g)))
            kernel.backward(inputs, self.nodes, self.slope_when_off, gradients[0], of_group, group)

        in_groups(work, len(self.kept), uses_blas=False)
        return [*sums.total(), *d_parts]

    def _new_hidden(self, graphs: int) -> np.ndarray:
        return np.empty((graphs, self.nodes**2, len(self.weights[1])), np.float32)
