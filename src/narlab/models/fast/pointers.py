"""Reading the pointers of edges with compiled kernels."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from narlab.kernels import pointers as kernel
from narlab.models.fast.rollout import Sums, array, in_groups


def larger_products(pair: Tensor, node: Tensor, w: Tensor) -> Tensor:
    """w max(pair_ij, node_k) of pairs [B, N, N, H] and nodes [B, N, H]: [B, N, N, N]."""
    return LargerProducts.apply(pair.flatten(1, 2), node, w).unflatten(1, pair.shape[1:3])


class LargerProducts(torch.autograd.Function):
    """w max(x_r, y_k) of rows [B, R, H] and nodes [B, N, H]: [B, R, N]."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, nodes: Tensor, w: Tensor) -> Tensor:
        ctx.inputs = tuple(map(array, (rows, nodes, w)))
        out = np.empty((*rows.shape[:2], nodes.shape[1]), np.float32)
        in_groups(lambda g, group: kernel.forward(*ctx.inputs, out, group), len(rows))
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, d_out: Tensor) -> tuple[Tensor, ...]:
        rows, nodes, w = ctx.inputs
        gradient = array(d_out)
        d_rows, d_nodes, of_w = np.zeros_like(rows), np.zeros_like(nodes), Sums([w], len(rows))

        def work(g: int, group: tuple[int, int]) -> None:
            kernel.backward(ctx.inputs, gradient, (d_rows, d_nodes, *of_w.of_group(g)), group)

        in_groups(work, len(rows))
        return tuple(map(torch.from_numpy, (d_rows, d_nodes, *of_w.total())))
