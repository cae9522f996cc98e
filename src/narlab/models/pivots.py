"""Products of matrices of pairs over the pivot j, (i, j) and (j, k) making (i, k), with a maximum in place of the sum.

All are [B, N, N, C], channel by channel. Only the winning pivot, the first of equals, has a gradient: it is looked for
without one, pivot by pivot, so that nothing N^3 large is kept.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from narlab.models.loops import fold, is_exporting


def largest_products(first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor]) -> Tensor:
    """m_ik = max_j (a_ij b_jk + a'_ij b'_jk) for `first` (a, a') and `second` (b, b')."""

    def product(a: list[Tensor], b: list[Tensor]) -> Tensor:
        return a[0] * b[0] + a[1] * b[1]

    return _largest(product, first, second)


def largest_sums(first: Tensor, second: Tensor) -> Tensor:
    """m_ik = max_j (a_ij + b_jk)."""
    return _largest(lambda a, b: a[0] + b[0], (first,), (second,))


def largest_of_smaller(first: Tensor, second: Tensor) -> Tensor:
    """m_ik = max_j min(a_ij, b_jk); of equals a has the gradient."""
    return _largest(lambda a, b: torch.where(a[0] <= b[0], a[0], b[0]), (first,), (second,))


def _largest(
    combine: Callable[[list[Tensor], list[Tensor]], Tensor], first: tuple[Tensor, ...], second: tuple[Tensor, ...]
) -> Tensor:
    if is_exporting():
        return _largest_of_all(combine, first, second)
    winner = _winner(combine, first, second)
    return combine([a.gather(2, winner) for a in first], [b.gather(1, winner) for b in second])


def _largest_of_all(
    combine: Callable[[list[Tensor], list[Tensor]], Tensor], first: tuple[Tensor, ...], second: tuple[Tensor, ...]
) -> Tensor:
    """The maximum, without a gradient."""

    def larger(best: Tensor, *items: Tensor) -> tuple[Tensor]:
        a, b = items[: len(first)], items[len(first) :]
        return (best.maximum(combine([part[:, :, None] for part in a], [part[:, None] for part in b])),)

    pivots = (*(part.movedim(2, 0) for part in first), *(part.movedim(1, 0) for part in second))  # [j, B, N, C]
    return fold(larger, (torch.full_like(first[0], -torch.inf),), *pivots)[0]


@torch.no_grad()
def _winner(
    combine: Callable[[list[Tensor], list[Tensor]], Tensor], first: tuple[Tensor, ...], second: tuple[Tensor, ...]
) -> Tensor:
    """The first pivot j at which `combine` of (i, j) and (j, k) is largest, [B, N, N, C]."""

    def at(j: int) -> Tensor:
        return combine([a[:, :, j, None] for a in first], [b[:, j, None] for b in second])  # [B, N, N, C]

    best = at(0)
    winner = torch.zeros_like(best, dtype=torch.int64)
    for j in range(1, first[0].shape[1]):
        value = at(j)
        is_better = value > best
        best = torch.where(is_better, value, best)
        winner.masked_fill_(is_better, j)
    return winner
