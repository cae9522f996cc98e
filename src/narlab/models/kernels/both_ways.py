"""Maps of pairs and of those that point back, with a compiled kernel."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from narlab.kernels import both_ways as kernel
from narlab.kernels.lanes import LANES
from narlab.models.kernels import Computation, Sums, call, in_groups, is_plain


def can_map_both_ways(layer: nn.Linear) -> bool:
    """Whether `mapped_both_ways` does what the layer says."""
    return is_plain(layer) and layer.out_features % LANES == 0


def mapped_both_ways(parts: Sequence[Tensor], layer: nn.Linear) -> Tensor:
    """`layer` of [x_ij, x_ji], where the parts of x [B, N, N, ...] stand beside each other: [B, N, N, H]."""
    maps = torch.cat(layer.weight.chunk(2, 1)).T
    sizes = parts[0].shape[1:3]
    (mapped,) = call(BothWays(sizes[0]), maps, layer.bias, *(part.flatten(1, 2) for part in parts))
    return mapped.unflatten(1, sizes)


class BothWays(Computation):
    """x_ij U + x_ji V + b [B, N N, H], of U and V beside each other [W, 2H], of b, and of the parts of x [B, N N, W].

    PyTorch would copy the parts to put them beside each other, and their gradients once more.
    """

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes

    def forward(self, *inputs: np.ndarray) -> list[np.ndarray]:
        self.maps, self.bias, *parts = inputs
        self.parts = tuple(parts)
        out = np.empty((*parts[0].shape[:2], len(self.bias)), np.float32)

        def work(g: int, group: tuple[int, int]) -> None:
            kernel.forward(self.parts, self.maps, self.bias, self.nodes, out, group)

        in_groups(work, len(out), uses_blas=False)
        return [out]

    def backward(self, *gradients: np.ndarray) -> list[np.ndarray]:
        d_parts, sums = tuple(map(np.empty_like, self.parts)), Sums([self.maps, self.bias], len(gradients[0]))

        def work(g: int, group: tuple[int, int]) -> None:
            of_group = tuple(sums.of_group(g))
            kernel.backward(self.parts, self.maps, self.nodes, gradients[0], d_parts, of_group, group)

        in_groups(work, len(gradients[0]), uses_blas=False)
        return [*sums.total(), *d_parts]
