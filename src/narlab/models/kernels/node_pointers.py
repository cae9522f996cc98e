"""Reading the pointers of nodes with a compiled kernel."""

import numpy as np
from torch import Tensor

from narlab.kernels import node_pointers as kernel
from narlab.models.kernels import Computation, Sums, array, call, in_groups


def pointer_products(node: Tensor, target: Tensor, raw: Tensor, edge: Tensor, w: Tensor) -> Tensor:
    """w max(node_i, target_j + raw_ji edge) of nodes [B, N, H], raw [B, N, N, K] and edge [K, H]: [B, N, N]."""
    (products,) = call(PointerProducts(array(raw)), node, target, edge, w)
    return products


class PointerProducts(Computation):
    """w max(x_i, y_j + raw_ji E) of nodes and targets [B, N, H], E and w: [B, N, N]; raw is none of what is learnt."""

    inputs: tuple[np.ndarray, ...]

    def __init__(self, raw: np.ndarray) -> None:
        self.raw = raw

    def forward(self, *inputs: np.ndarray) -> list[np.ndarray]:
        nodes, targets, *maps = inputs
        self.inputs = (nodes, targets, self.raw, *maps)
        out = np.empty(self.raw.shape[:3], np.float32)
        in_groups(lambda g, group: kernel.forward(self.inputs, out, group), len(out))
        return [out]

    def backward(self, *gradients: np.ndarray) -> list[np.ndarray]:
        nodes, targets, _, *maps = self.inputs
        d_nodes, d_targets, of_maps = np.zeros_like(nodes), np.zeros_like(targets), Sums(maps, len(nodes))

        def work(g: int, group: tuple[int, int]) -> None:
            kernel.backward(self.inputs, gradients[0], (d_nodes, d_targets, *of_maps.of_group(g)), group)

        in_groups(work, len(nodes))
        return [d_nodes, d_targets, *of_maps.total()]
