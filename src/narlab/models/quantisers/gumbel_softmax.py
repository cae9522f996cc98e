"""Gumbel-softmax (Jang et al., 2017): groups of features become one-hot, drawn at random in training."""

import torch
from torch import Tensor, nn

from narlab.common.errors import UsageError

GROUP = 4  # features
SMALLEST = 1e-20


class Quantiser(nn.Module):
    """h' = one-hot(argmax(h + Gumbel noise)) in each group forward, softmax(h + noise) backward.

    See https://arxiv.org/abs/1611.01144.

    >>> h = torch.tensor([[[0.1, 0.9, 0.2, 0.3]]])
    >>> Quantiser(4).eval()(h, torch.Generator())[0]
    tensor([[[0., 1., 0., 0.]]])
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        if hidden % GROUP:
            raise UsageError(f"gumbel_softmax needs a width that {GROUP} divides, got hidden={hidden}")

    def forward(self, h: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        logits = h.unflatten(-1, (-1, GROUP))  # [B, N, H / 4, 4]
        if self.training:
            drawn = torch.rand(logits.shape, generator=generator, device=h.device).clamp_min(SMALLEST)
            logits = logits - (-drawn.log()).clamp_min(SMALLEST).log()
        soft = logits.softmax(-1)
        hard = torch.zeros_like(soft).scatter(-1, soft.argmax(-1, keepdim=True), 1.0)
        return (hard + soft - soft.detach()).flatten(-2), h.new_zeros(())
