"""Resistances: how much of a current between i and j takes other ways than the pair itself, where edges conduct."""

import torch
from torch import Tensor, nn

from narlab.models.closure import LEARNING_SPEED, START, cost_of
from narlab.models.loops import fold, is_exporting
from narlab.models.pair_features import AbstractPairFeatures, PairInputs, sharpened

CHANNELS = 4
TO_GROUND = 1e-5  # of each node, so that graphs may have several components
STEEPEST = 10.0  # the first bit of conductance between two components would change everything at once


class PairFeatures(AbstractPairFeatures):
    """With learned conductances c_ij = c_ji >= 0, in 4 channels, that are 0 where the task's graph has no edge, and the
    resistance R_ij between i and j,

    1 - c_ij R_ij is the share of a current from i to j that does not run over the pair itself: 0 where it is the only
    way, a bridge, and 1 where c_ij is 0. It is the same if all conductances are doubled. R_ij = M_ii + M_jj - 2 M_ij
    with M the inverse of the Laplacian: the closure of the pairs under (+, *), as others are under (max, +).
    Without a graph all pairs conduct. With one they must not, since what little a model leaves to pairs without an edge
    adds up in larger graphs.

    >>> import narlab
    >>> model = narlab.models.build("bridges", hidden=8, depth=2, pair_features=("resistances",))
    >>> batch = narlab.models.make_batch(narlab.data.custom("bridges", n=4, count=2))
    >>> model(batch).outputs["is_bridge"].shape
    torch.Size([2, 4, 4])
    """

    width = 3 * CHANNELS

    def __init__(self, fan_in: int) -> None:
        super().__init__()
        self.of_pair = nn.Linear(fan_in, CHANNELS)
        nn.init.constant_(self.of_pair.bias, START)

    def forward(self, inputs: PairInputs) -> Tensor:
        one_way = -cost_of(LEARNING_SPEED * self.of_pair(inputs.values)).movedim(-1, 1)  # [B, C, N, N]
        if inputs.edges is not None:
            one_way = one_way * inputs.edges[:, None].to(one_way.dtype)
        same = torch.eye(one_way.shape[-1], dtype=torch.float64, device=one_way.device)
        conductance = (one_way + one_way.transpose(2, 3)).double() * (1 - same)  # sums of many are told apart from one
        laplacian = torch.diag_embed(conductance.sum(-1) + TO_GROUND) - conductance
        inverse = inverse_of(laplacian)
        own = inverse.diagonal(dim1=2, dim2=3)
        resistance = own[..., None] + own[..., None, :] - 2 * inverse
        gap = (1 - _product(conductance, resistance)).to(one_way.dtype)
        return sharpened(gap.movedim(1, -1))


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
