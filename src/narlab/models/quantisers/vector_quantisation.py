"""Vector quantisation (van den Oord et al., 2017): each node's state becomes the nearest entry of a codebook."""

import torch
from torch import Tensor, nn

ENTRIES = 64
COMMITMENT = 0.25


class Quantiser(nn.Module):
    """h' = the nearest c_k forward, h backward; penalty |sg(h) - c_k|^2 + 0.25 |h - sg(c_k)|^2.

    See https://arxiv.org/abs/1711.00937.

    >>> quantised, penalty = Quantiser(8)(torch.randn(2, 3, 8), torch.Generator())
    >>> quantised.shape, penalty.shape
    (torch.Size([2, 3, 8]), torch.Size([]))
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.codebook = nn.Parameter(torch.randn(ENTRIES, hidden) / hidden**0.5)

    def forward(self, h: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        nearest = torch.cdist(h.detach().flatten(0, 1), self.codebook.detach()).argmin(1)
        chosen = self.codebook[nearest].view_as(h)
        penalty = (chosen - h.detach()).square().mean() + COMMITMENT * (h - chosen.detach()).square().mean()
        return h + (chosen - h).detach(), penalty
