"""Reading the pointers of edges with compiled kernels."""

import numpy as np
from torch import Tensor

from narlab.kernels import pointers as kernel
from narlab.models.kernels import Computation, Sums, call, in_groups


def larger_products(pair: Tensor, node: Tensor, w: Tensor) -> Tensor:
    """w max(pair_ij, node_k) of pairs [B, N, N, H] and nodes [B, N, H]: [B, N, N, N]."""
    (products,) = call(LargerProducts(), pair.flatten(1, 2), node, w)
    return products.unflatten(1, pair.shape[1:3])


class LargerProducts(Computation):
    """w max(x_r, y_k) of rows [B, R, H] and nodes [B, N, H]: [B, R, N]."""

    inputs: tuple[np.ndarray, ...]

    def forward(self, *inputs: np.ndarray) -> list[np.ndarray]:
        self.inputs = inputs
        rows, nodes, _ = inputs
        out = np.empty((*rows.shape[:2], nodes.shape[1]), np.float32)
        in_groups(lambda g, group: kernel.forward(*inputs, out, group), len(rows))
        return [out]

    def backward(self, *gradients: np.ndarray) -> list[np.ndarray]:
        rows, nodes, w = self.inputs
        d_rows, d_nodes, of_w = np.zeros_like(rows), np.zeros_like(nodes), Sums([w], len(rows))

        def work(g: int, group: tuple[int, int]) -> None:
            kernel.backward(self.inputs, gradients[0], (d_rows, d_nodes, *of_w.of_group(g)), group)

        in_groups(work, len(rows))
        return [d_rows, d_nodes, *of_w.total()]
