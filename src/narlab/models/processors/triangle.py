"""Triangle: a state of pairs, and products of the pairs (i, j) and (j, k) over the pivot j: a maximum and a mean."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import softsign

from narlab.models.closure import Closure
from narlab.models.encoders import Features, pair_inputs
from narlab.models.kernels.triangle import TriangleKernel
from narlab.models.pivots import largest_of_smaller, largest_products
from narlab.models.processors import AbstractProcessor, Memory
from narlab.models.processors._pair_state import (
    gated_map,
    mixing_map,
    normalised,
    start_mlp,
    updated,
)
from narlab.models.topology import State, Topology, VisiblePairs, diagonal

COUNTS = 4


@dataclass(frozen=True)
class Prepared:
    """All that the step does not change."""

    inputs: Tensor  # in'_ij: what the probes say of a pair, and its closure; [B, N, N, D + 3r]
    closure: Tensor  # the last 3r of them
    from_inputs: Tensor  # z: their share of what is linear in the state, [B, N, N, H + 5r + 4]
    next: Tensor | None  # the node after each in order, -1: none, [B, N]; `None` if nodes have no order
    previous: Tensor | None


class Processor(AbstractProcessor):
    """The state x_ij [D] of every pair; with r = D/2, H = 2D and y = Y x + Z in', one step is

    m_ik = max_j (q1_ij k1_jk + q2_ij k2_jk) in half of r channels, max_j min(q1_ij, k1_jk) in the others;
    u_ik = mean_j relu(c_ij) relu(d_jk); n_i = sum_j sign(f_ij - f_ji), t_i = [tanh n_i, n_i / N];
    s_ik = the states of the pairs after (i, k) and before it in the order of the nodes, half of each;
    h_ik = relu(W [x_ik, x_ki, LN[m_ik, u_ik], t_i, t_k, s_ik] + Z' in'_ik); x'_ik = LN(x_ik + sigmoid(G h) * (O h)).

    y holds q1, k1 [r], q2, k2 [r/2], c, d [r] and f [4]; in' is what the probes say of the pair and its `Closure`. The
    first x is LN(MLP(in')). Node states are the diagonal. `State.pairs` holds m, u of the last step and the closure.
    Pairs also hear of their triangles in the Edge Transformer (https://arxiv.org/abs/2112.00578), by attention.

    >>> import narlab
    >>> model = narlab.models.build("bfs", processor="triangle", position="order", depth=2)
    >>> batch = narlab.models.make_batch(narlab.data.custom("bfs", n=4, count=2))
    >>> model(batch).outputs["pi"].shape
    torch.Size([2, 4, 4])
    """

    default_width = 32
    width_multiple = 4
    pairs = VisiblePairs.ALL
    memory = Memory.TRIPLES
    has_pair_state = True
    kernel = TriangleKernel

    def __init__(self, hidden: int) -> None:
        super().__init__()
        r = hidden // 2
        self.widths = (r, r, r // 2, r // 2, r, r, COUNTS)  # of q1, k1, q2, k2, c, d, f
        self.pair_width = 2 * r + 3 * r
        wide, in_width = 2 * hidden, hidden + 3 * r
        self.closure = Closure(hidden, r)
        self.start = start_mlp(in_width, hidden)
        self.of_input = nn.Linear(in_width, wide + sum(self.widths))  # Z' and Z
        self.of_state = nn.Linear(hidden, sum(self.widths))  # Y
        self.mix = mixing_map((hidden, hidden, 2 * r, 4 * COUNTS, hidden), wide)  # W
        self.update = gated_map(hidden)  # G and O
        with torch.no_grad():  # begins as a sum: q1 * 1 + 1 * k2
            _, k1, q2, *_ = self.of_state.bias.split(self.widths)
            k1.fill_(1.0)
            q2.fill_(1.0)

    def prepare(self, features: Features, topology: Topology) -> Prepared:
        inputs = pair_inputs(features)
        closure = self.closure(inputs)
        inputs = torch.cat([inputs, closure], -1)
        graphs = topology.graphs
        return Prepared(inputs, closure, self.of_input(inputs), graphs.next, graphs.previous)

    def first(self, prepared: Prepared) -> Tensor:
        """The state of pairs before the first step, [B, N, N, D]."""
        return normalised(self.start(prepared.inputs))

    def step(self, state: State, prepared: Prepared) -> State:
        x = self.first(prepared) if state.e is None else state.e
        to_hidden, to_products = prepared.from_inputs.split((self.mix.out_features, sum(self.widths)), -1)
        q1, k1, q2, k2, c, d, f = (self.of_state(x) + to_products).split(self.widths, -1)
        found = torch.cat([_maxima(q1, k1, q2, k2), _mean_products(c.relu(), d.relu())], -1)  # m, u: [B, N, N, 2r]
        counts = _counts(f)  # [B, N, 8]
        parts = (
            *(x, x.transpose(1, 2), normalised(found)),
            *(counts[:, :, None].expand(*x.shape[:3], -1), counts[:, None].expand(*x.shape[:3], -1)),
            _neighbours(x, prepared),
        )
        h = (self.mix(torch.cat(parts, -1)) + to_hidden).relu()  # [B, N, N, H]
        x = updated(x, self.update(h))
        return State(diagonal(x), x, torch.cat([found, prepared.closure], -1))


def _maxima(q1: Tensor, k1: Tensor, q2: Tensor, k2: Tensor) -> Tensor:
    """m_ik [B, N, N, r]."""
    half = q2.shape[-1]
    products = largest_products((q1[..., :half], q2), (k1[..., :half], k2))
    return torch.cat([products, largest_of_smaller(q1[..., half:], k1[..., half:])], -1)


def _mean_products(c: Tensor, d: Tensor) -> Tensor:
    """u_ik = mean_j c_ij d_jk, channel by channel."""
    product = c.permute(0, 3, 1, 2) @ d.permute(0, 3, 1, 2)  # [B, r, N, N]
    return product.permute(0, 2, 3, 1) / c.shape[1]


def _counts(f: Tensor) -> Tensor:
    """t_i = [tanh n_i, n_i / N], where n_i = sum_j sign(f_ij - f_ji): [B, N, 8]."""
    n = _sign(f - f.transpose(1, 2)).sum(2)
    return torch.cat([n.tanh(), n / f.shape[1]], -1)


def _neighbours(x: Tensor, prepared: Prepared) -> Tensor:
    """s_ik: half of the channels of x_{i+1,k+1}, the other half of x_{i-1,k-1}, zeros where there is none."""
    after, before = x.chunk(2, -1)
    return torch.cat([_moved(after, prepared.next), _moved(before, prepared.previous)], -1)


def _moved(x: Tensor, to: Tensor | None) -> Tensor:
    """x at (to_i, to_k), 0 where one of them is -1."""
    if to is None:
        return torch.zeros_like(x)
    exists, index = (to >= 0).to(x.dtype), to.clamp_min(0)
    batch = torch.arange(x.shape[0], device=x.device)[:, None, None]
    moved = x[batch, index[:, :, None], index[:, None]]
    return moved * (exists[:, :, None] * exists[:, None])[..., None]


def _sign(t: Tensor) -> Tensor:
    """The sign, with the slope 1 / (1 + |t|)^2 of t / (1 + |t|)."""
    soft = softsign(t)
    return t.sign() + (soft - soft.detach())
