"""How a current between two nodes divides, for what several pair features make of it."""

import torch
from torch import Tensor, nn

from narlab.models.closure import LEARNING_SPEED, START, cost_of
from narlab.models.loops import fold, is_exporting

CHANNELS = 4
TO_GROUND = 1e-5  # of each node, so that graphs may have several components
STEEPEST = 10.0  # the first bit of conductance between two components would change everything at once


def map_to_conductances(fan_in: int) -> nn.Linear:
    """The map that `one_way_conductances` takes; all pairs begin with some."""
    of_pair = nn.Linear(fan_in, CHANNELS)
    nn.init.constant_(of_pair.bias, START)
    return of_pair


def one_way_conductances(of_pair: nn.Linear, values: Tensor) -> Tensor:
    """Learned numbers of at least 0 of each pair [B, N, N, D], in `CHANNELS`: [B, C, N, N]."""
    return -cost_of(LEARNING_SPEED * of_pair(values)).movedim(-1, 1)


def share_elsewhere(one_way: Tensor) -> Tensor:
    """1 - c_ij R_ij [B, C, N, N]: the share of a current from i to j that does not run over the pair itself.

    `one_way` is added to its transpose to be the conductances c. R_ij = M_ii + M_jj - 2 M_ij with M the inverse of the
    Laplacian: the closure of the pairs under (+, *), as others are under (max, +).
    """
    same = torch.eye(one_way.shape[-1], dtype=torch.float64, device=one_way.device)
    conductance = (one_way + one_way.transpose(2, 3)).double() * (1 - same)  # sums of many are told apart from one
    laplacian = torch.diag_embed(conductance.sum(-1) + TO_GROUND) - conductance
    inverse = inverse_of(laplacian)
    own = inverse.diagonal(dim1=2, dim2=3)
    resistance = own[..., None] + own[..., None, :] - 2 * inverse
    return (1 - _product(conductance, resistance)).to(one_way.dtype)


def _product(conductance: Tensor, resistance: Tensor) -> Tensor:
    """c R; backward, the slope along c is R but no steeper than 10."""
    c, r = conductance.detach(), resistance.detach()
    return c * r + (conductance - c) * r.clamp_max(STEEPEST) + c * (resistance - r)


def inverse_of(matrix: Tensor) -> Tensor:
    """The inverse of positive definite matrices [..., N, N]; of NaN it is NaN, so that a run that diverges is seen."""
    if not is_exporting():
        return torch.linalg.inv_ex(matrix).inverse
    nodes = matrix.shape[-1]
    index = torch.arange(nodes, device=matrix.device)

    def eliminated(matrix: Tensor, k: Tensor) -> tuple[Tensor]:
        """Gauss and Jordan's step with the pivot k, in a loop that an exported program can have."""
        is_pivot = (index == k).to(matrix.dtype)
        row, column = matrix.index_select(-2, k[None]), matrix.index_select(-1, k[None])
        pivot = row.index_select(-1, k[None])
        others = matrix - (column + is_pivot[:, None]) * (row - is_pivot) / pivot
        return (others,)

    return fold(eliminated, (matrix,), index)[0]
