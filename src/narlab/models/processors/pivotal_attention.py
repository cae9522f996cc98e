"""Pivotal attention: a state of pairs, and attention of (i, k) over the pivots j of the pairs (i, j) and (j, k)."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from narlab.models.encoders import Features, pair_inputs
from narlab.models.loops import each
from narlab.models.processors import AbstractProcessor, Memory
from narlab.models.processors._pair_state import (
    gated_map,
    mixing_map,
    normalised,
    start_mlp,
    updated,
)
from narlab.models.topology import State, Topology, VisiblePairs, diagonal

HEADS = 4


@dataclass(frozen=True)
class Prepared:
    """All that the step does not change."""

    inputs: Tensor  # in_ij: what the probes say of a pair, [B, N, N, D]
    from_inputs: Tensor  # their share of what is linear in the state, [B, N, N, 2D + 4D]


class Processor(AbstractProcessor):
    """The state x_ij [D] of every pair; with q, k, v, w = Y x + Z in, in each of 4 heads of width d = D/4, one step is

    a_ijk = softmax_j(q_ij . k_jk / sqrt(d)), o_ik = sum_j a_ijk (v_ij * w_jk);
    h_ik = relu(W [x_ik, x_ki, LN o_ik] + Z' in_ik); x'_ik = LN(x_ik + sigmoid(G h) * (O h)).

    The first x is LN(MLP(in)), node states are the diagonal. It is the frame of `triangle` with attention in place of
    its products: see the Edge Transformer (https://arxiv.org/abs/2112.00578).

    >>> import narlab
    >>> model = narlab.models.build("bfs", processor="pivotal_attention", position="order", depth=2)
    >>> batch = narlab.models.make_batch(narlab.data.custom("bfs", n=4, count=2))
    >>> model(batch).outputs["pi"].shape
    torch.Size([2, 4, 4])
    """

    default_width = 32
    width_multiple = HEADS
    pairs = VisiblePairs.ALL
    memory = Memory.TRIPLES
    has_pair_state = True

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.start = start_mlp(hidden, hidden)
        self.of_input = nn.Linear(hidden, 2 * hidden + 4 * hidden)  # Z' and Z
        self.of_state = nn.Linear(hidden, 4 * hidden)  # Y
        self.mix = mixing_map((hidden, hidden, hidden), 2 * hidden)  # W
        self.update = gated_map(hidden)  # G and O

    def prepare(self, features: Features, topology: Topology) -> Prepared:
        inputs = pair_inputs(features)
        return Prepared(inputs, self.of_input(inputs))

    def step(self, state: State, prepared: Prepared) -> State:
        x = normalised(self.start(prepared.inputs)) if state.e is None else state.e
        to_hidden, to_attention = prepared.from_inputs.split((2 * x.shape[-1], 4 * x.shape[-1]), -1)
        heard = _attend(*(self.of_state(x) + to_attention).chunk(4, -1))  # [B, N, N, D]
        h = (self.mix(torch.cat([x, x.transpose(1, 2), normalised(heard)], -1)) + to_hidden).relu()
        x = updated(x, self.update(h))
        return State(diagonal(x), x)


def _attend(query: Tensor, key: Tensor, value: Tensor, other: Tensor) -> Tensor:
    """o_ik of q_ij, k_jk, v_ij, w_jk, all [B, N, N, D]; one row i at a time, so that little is N^3 large."""
    query, key, value, other = (each.unflatten(-1, (HEADS, -1)) for each in (query, key, value, other))
    query = query / math.sqrt(query.shape[-1])

    def heard(of_query: Tensor, of_value: Tensor, key: Tensor, other: Tensor) -> Tensor:  # [B, j, heads, d] first
        weights = torch.einsum("bjhd,bjkhd->bjkh", of_query, key).softmax(1)
        return torch.einsum("bjkh,bjkhd->bkhd", weights, of_value[:, :, None] * other)

    return each(heard, query, value, shared=(key, other)).flatten(3)  # [B, N, N, D]
