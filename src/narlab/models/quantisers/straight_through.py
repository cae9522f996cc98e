"""Straight-through quantisation (Bengio et al., 2013): each feature becomes 0 or 1, the gradient passes."""

import torch
from torch import Tensor, nn


class Quantiser(nn.Module):
    """h' = [sigmoid(h) > 1/2] forward, sigmoid(h) backward. See https://arxiv.org/abs/1308.3432.

    >>> Quantiser(3)(torch.tensor([[[-2.0, 0.1, 5.0]]]), torch.Generator())[0].round()
    tensor([[[0., 1., 1.]]])
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()

    def forward(self, h: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        soft = h.sigmoid()
        return (soft > 0.5).float() + soft - soft.detach(), h.new_zeros(())
