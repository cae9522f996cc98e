"""The closure of values of pairs, and the largest products over a pivot, with compiled kernels."""

import numpy as np
import torch
from torch import Tensor

from narlab.kernels import closure, largest_products
from narlab.models.closure import rounds
from narlab.models.kernels import Computation, call, in_groups


def closed_by_kernel(values: Tensor) -> Tensor:
    """See `narlab.models.closure.closed`; half of the channels must be whole lanes."""
    (last,) = call(Closed(values.shape[1]), values.flatten(1, 2))
    return last.view_as(values)


class Closed(Computation):
    """The closure of values [B, N N, 2P]."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes

    def forward(self, *inputs: np.ndarray) -> list[np.ndarray]:
        (values,) = inputs
        graphs, pairs, channels = values.shape
        count = rounds(self.nodes)
        self.values = np.empty((count + 1, *values.shape), np.float32)
        self.values[0] = values
        self.winner = np.empty((count, graphs, pairs if self.keeps else 0, channels), np.int16)
        in_groups(lambda g, group: closure.close(self.values, self.winner, self.nodes, group), graphs)
        return [self.values[-1]]

    def backward(self, *gradients: np.ndarray) -> list[np.ndarray]:
        d_values = gradients[0].copy()

        def work(g: int, group: tuple[int, int]) -> None:
            closure.close_backward(self.values, self.winner, d_values, self.nodes, group)

        in_groups(work, len(d_values))
        return [d_values]


def largest_products_by_kernel(first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor]) -> Tensor:
    """See `narlab.models.pivots.largest_products`; the channels must be whole lanes."""
    factors = torch.cat([*first, *second], -1)
    (largest,) = call(LargestProducts(factors.shape[1]), factors.flatten(1, 2))
    return largest.view_as(first[0])


class LargestProducts(Computation):
    """max_j (a_ij b_jk + a'_ij b'_jk) of factors a, a', b, b' [B, N N, 4C]: [B, N N, C]."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes

    def forward(self, *inputs: np.ndarray) -> list[np.ndarray]:
        (self.factors,) = inputs
        graphs, pairs, width = self.factors.shape
        largest = np.empty((graphs, pairs, width // 4), np.float32)
        self.winner = np.empty((graphs, pairs if self.keeps else 0, width // 4), np.int16)

        def work(g: int, group: tuple[int, int]) -> None:
            largest_products.forward(self.factors, largest, self.winner, self.nodes, group)

        in_groups(work, graphs)
        return [largest]

    def backward(self, *gradients: np.ndarray) -> list[np.ndarray]:
        d_factors = np.zeros_like(self.factors)

        def work(g: int, group: tuple[int, int]) -> None:
            largest_products.backward(self.factors, self.winner, gradients[0], d_factors, self.nodes, group)

        in_groups(work, len(d_factors))
        return [d_factors]
