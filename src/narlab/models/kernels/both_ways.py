"""Maps of pairs and of those that point back, with a compiled kernel."""

import numpy as np
import torch
from torch import Tensor, nn

from narlab.kernels import both_ways as kernel
from narlab.kernels.lanes import LANES
from narlab.models.kernels import Computation, Sums, call, in_groups, is_plain


def can_map_both_ways(layer: nn.Linear) -> bool:
    """Whether `mapped_both_ways` does what the layer says."""
    return is_plain(layer) and layer.out_features % LANES == 0


def mapped_both_ways(x: Tensor, layer: nn.Linear) -> Tensor:
    """`layer` of [x_ij, x_ji], of pairs [B, N, N, W]: [B, N, N, H]."""
    maps = torch.cat(layer.weight.chunk(2, 1)).T
    (mapped,) = call(BothWays(x.shape[1]), x.flatten(1, 2), maps, layer.bias)
    return mapped.unflatten(1, x.shape[1:3])


class BothWays(Computation):
    """x_ij U + x_ji V + b of pairs [B, N N, W], of U and V beside each other [W, 2H], and of b: [B, N N, H]."""

    inputs: tuple[np.ndarray, ...]

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes

    def forward(self, *inputs: np.ndarray) -> list[np.ndarray]:
        self.inputs = inputs
        out = np.empty((*inputs[0].shape[:2], len(inputs[2])), np.float32)
        in_groups(lambda g, group: kernel.forward(*inputs, self.nodes, out, group), len(out))
        return [out]

    def backward(self, *gradients: np.ndarray) -> list[np.ndarray]:
        x, *maps = self.inputs
        d_x, of_maps = np.empty_like(x), Sums(maps, len(x))

        def work(g: int, group: tuple[int, int]) -> None:
            kernel.backward(x, maps[0], self.nodes, gradients[0], (d_x, *of_maps.of_group(g)), group)

        in_groups(work, len(x))
        return [d_x, *of_maps.total()]
