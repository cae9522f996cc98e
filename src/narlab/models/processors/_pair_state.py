"""A state of pairs with a gate: what the triangle processor and pivotal attention share."""

import torch
from torch import Tensor, nn
from torch.nn.functional import layer_norm

GATE = -1.0  # the gate's bias at the start: a step changes little


def start_mlp(fan_in: int, hidden: int) -> nn.Sequential:
    """The map of a pair's inputs to its first state, before normalisation."""
    return nn.Sequential(nn.Linear(fan_in, 2 * hidden), nn.ReLU(), nn.Linear(2 * hidden, hidden))


def gated_map(hidden: int) -> nn.Linear:
    """The map of 2H numbers to a gate and an update, [2H -> H + H]."""
    layer = nn.Linear(2 * hidden, 2 * hidden)
    nn.init.constant_(layer.bias[:hidden], GATE)
    return layer


def updated(x: Tensor, gate_and_update: Tensor) -> Tensor:
    """x' = LN(x + sigmoid(gate) * update)."""
    gate, update = gate_and_update.chunk(2, -1)
    return normalised(x + gate.sigmoid() * update)


def mixing_map(parts: tuple[int, ...], fan_out: int) -> nn.Linear:
    """A linear map without bias of parts of these widths, each of which starts as if it were alone."""
    layer = nn.Linear(sum(parts), fan_out, bias=False)
    with torch.no_grad():
        layer.weight.copy_(torch.cat([nn.Linear(part, fan_out).weight for part in parts], 1))
    return layer


def normalised(x: Tensor) -> Tensor:
    """Layer normalisation without scale and shift."""
    return layer_norm(x, x.shape[-1:])
