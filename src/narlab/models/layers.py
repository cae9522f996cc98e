"""Layers with the paper's initial weights."""

import math
from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn.functional import linear


def new_linear(fan_in: int, fan_out: int, *, variance: float = 1.0) -> nn.Linear:
    """An affine map: truncated normal weights of standard deviation sqrt(variance / fan_in), cut at two; zero bias."""
    layer = nn.Linear(fan_in, fan_out)
    deviation = math.sqrt(variance / fan_in)
    nn.init.trunc_normal_(layer.weight, std=deviation, a=-2 * deviation, b=2 * deviation)
    nn.init.zeros_(layer.bias)
    return layer


def linear_of_parts(layer: nn.Linear, parts: Sequence[Tensor | None]) -> Tensor:
    """`layer` applied to the concatenation of equally wide `parts`, where `None` is a part of zeros.

    Nothing is concatenated, and a part of zeros costs nothing.
    """
    width = layer.in_features // len(parts)
    total: Tensor = layer.bias
    for k, part in enumerate(parts):
        if part is not None:
            total = total + linear(part, layer.weight[:, k * width : (k + 1) * width])
    return total
