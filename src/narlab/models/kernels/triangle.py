"""The triangle processor with compiled kernels; see `narlab.kernels.triangle` for the formula."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from narlab.kernels import triangle as kernel
from narlab.kernels import triangle_backward, triangle_inputs, triangle_start
from narlab.kernels.lanes import LANES
from narlab.kernels.matrices import COLUMNS
from narlab.models.closure import LEARNING_SPEED, Closure, rounds
from narlab.models.encoders import Features
from narlab.models.kernels import (
    AbstractKernel,
    Arrays,
    Computation,
    Sums,
    call,
    in_groups,
    last_two,
    new_states,
)
from narlab.models.topology import Graphs, State, Topology, diagonal

if TYPE_CHECKING:
    from narlab.models.processors.triangle import Processor

MULTIPLE = COLUMNS  # of the widths D that the kernel can work with
NOTHING = -1  # in an index: the lane is left over, and zero


@dataclass(frozen=True)
class Prepared:
    """The graphs, the weights as `kernel.Weights` orders them, and what else is made of the inputs."""

    graphs: kernel.Graphs
    weights: tuple[Tensor, ...]
    first: Tensor  # x before any step, [B, N, N, D]
    closure: Tensor  # in lanes, [B, N N, 6P]


class TriangleKernel(AbstractKernel):
    """The kernel of the triangle processor."""

    layers: ClassVar = {
        **dict.fromkeys(("closure.of_input", "start.0", "start.2", "of_input", "of_state"), nn.Linear),
        **dict.fromkeys(("mix", "update"), nn.Linear),
        "closure": Closure,
        "start": nn.Sequential,
        "start.1": nn.ReLU,
    }
    without_bias = ("mix",)
    takes_all_threads = True
    processor: Processor

    @classmethod
    def of(cls, processor: Any) -> AbstractKernel | None:
        is_wide_enough = processor.update.out_features // 2 % MULTIPLE == 0
        return super().of(processor) if is_wide_enough else None

    def __init__(self, processor: Processor) -> None:
        super().__init__(processor)
        self.lanes = lanes_of(processor.update.out_features // 2)

    def prepare(self, features: Features, topology: Topology) -> Prepared:
        node, edge = features.node, features.edge.everywhere
        edge = node.new_zeros(len(node), 0, node.shape[2]) if edge is None else edge.flatten(1, 2)
        start = TriangleStart()
        first, from_inputs, closure = call(start, node, features.graph, edge, *self._start_weights())
        weights = (from_inputs, *self._step_weights())
        return Prepared(
            graphs_of(topology.graphs, self.lanes), weights, first.unflatten(1, (node.shape[1], -1)), closure
        )

    def _start_weights(self) -> tuple[Tensor, ...]:
        """As `triangle_start.Weights` orders them; the bias of the state's map joins what does not change."""
        own, lanes = self.processor, self.lanes
        closing, (into, _, out) = own.closure, own.start
        assert isinstance(into, nn.Linear)
        assert isinstance(out, nn.Linear)
        wide = own.mix.out_features
        bias = torch.cat([own.of_input.bias[:wide], own.of_input.bias[wide:] + own.of_state.bias])
        return (
            spread(LEARNING_SPEED * closing.of_input.weight, lanes.of_values, 0).T,
            spread(LEARNING_SPEED * closing.of_input.bias, lanes.of_values, 0),
            spread(closing.scale, lanes.of_closure, 0),
            spread(into.weight, lanes.of_inputs, 1).T,
            into.bias,
            out.weight.T,
            out.bias,
            spread(spread(own.of_input.weight, lanes.of_inputs, 1), lanes.of_sums, 0).T,
            spread(bias, lanes.of_sums, 0),
        )

    def _step_weights(self) -> tuple[Tensor, ...]:
        """As `kernel.Weights` orders them, from the second on."""
        own, lanes = self.processor, self.lanes
        return (
            spread(own.of_state.weight, lanes.of_factors, 0).T,
            spread(own.mix.weight, lanes.of_features, 1).T,
            torch.cat([own.mix.weight[:, part].T for part in lanes.of_counts], 1),
            own.update.weight.T,
            own.update.bias,
        )

    def steps(self, state: State, prepared: Prepared, count: int) -> tuple[State, State]:
        x = prepared.first if state.e is None else state.e
        steps = TriangleSteps(prepared.graphs, count)
        before, after, pairs = call(steps, x.flatten(1, 2), prepared.closure, *prepared.weights)
        last = _state(after.view_as(x), collected(pairs, self.lanes.of_pairs).unflatten(1, x.shape[1:3]))
        return (state if count == 1 else _state(before.view_as(x), None)), last


def _state(x: Tensor, pairs: Tensor | None) -> State:
    return State(diagonal(x), x, pairs)


class Lanes:
    """Where the kernel has what the processor has: each an index by the kernel's place, or `NOTHING`.

    The kernel works on whole lanes, so that half of the channels may take more of them than there are channels.
    """

    def __init__(self, hidden: int) -> None:
        r, half = hidden // 2, hidden // 4
        q1, k1, q2, k2, c, d, f = _counted(0, (r, r, half, half, r, r, 4))
        of_state, other, m, u, first, second, neighbours = _counted(0, (hidden, hidden, r, r, 8, 8, hidden))
        values = _counted(0, (half,) * 6)
        self.of_values = _in_lanes(values[:2])
        self.of_closure = _in_lanes(values)
        self.of_inputs = _in_lanes(_counted(0, (hidden, *(half,) * 6)))
        products = [range(half), range(half, r), range(r, 2 * r)]
        self.of_products, self.of_pairs = _in_lanes(products), _in_lanes([*products, *values])
        halves = [part for both in (q1, k1) for part in (both[:half], both[half:])]
        self.of_factors = _in_lanes([*halves, q2, k2, c, d, f])
        wide = torch.arange(2 * hidden)
        self.of_sums = torch.cat([wide, torch.where(self.of_factors < 0, NOTHING, self.of_factors + len(wide))])
        self.of_features = _in_lanes([of_state, other, neighbours, m[:half], m[half:], u])
        self.of_counts = (slice(first.start, first.stop), slice(second.start, second.stop))


lanes_of = cache(Lanes)  # of a width once: a training step asks for the kernel several times


def _counted(start: int, widths: tuple[int, ...]) -> list[range]:
    """Ranges of these widths one after the other."""
    ends = [start + sum(widths[: k + 1]) for k in range(len(widths))]
    return [range(end - width, end) for end, width in zip(ends, widths, strict=True)]


def _in_lanes(parts: list[range]) -> Tensor:
    """The parts one after the other, each in whole lanes."""
    places = [place for part in parts for place in (*part, *[NOTHING] * (-len(part) % LANES))]
    return torch.tensor(places)


def spread(x: Tensor, index: Tensor, dim: int) -> Tensor:
    """The kernel's form of `x`, with zeros in lanes that are left over."""
    if torch.equal(index, torch.arange(x.shape[dim])):
        return x
    nothing = x.new_zeros(()).expand_as(x.narrow(dim, 0, 1))
    return torch.cat([x, nothing], dim).index_select(dim, index % (x.shape[dim] + 1))


def collected(x: Tensor, index: Tensor) -> Tensor:
    """The processor's form of the kernel's `x`, whose last places are lanes."""
    return x if (index >= 0).all() else x.index_select(-1, index.ne(NOTHING).nonzero()[:, 0])


def graphs_of(graphs: Graphs, lanes: Lanes) -> kernel.Graphs:
    count, nodes, _ = graphs.adjacency.shape
    order = np.full((count, 2, nodes), -1)
    if graphs.next is not None and graphs.previous is not None:
        order[:, 0], order[:, 1] = graphs.next.numpy(), graphs.previous.numpy()
    return kernel.Graphs(order, lanes.of_products.ne(NOTHING).float().numpy())


class TriangleSteps(Computation):
    """The last two states [B, N N, D] after `steps` steps from x, and beside each other the last products and the
    closure [B, N N, W + 6P], which goes through as it is: a readout looks at both."""

    def __init__(self, graphs: kernel.Graphs, steps: int) -> None:
        self.graphs, self.steps = graphs, steps

    def forward(self, *inputs: np.ndarray) -> Arrays:
        x, closure, self.maps = *inputs[:2], kernel.Weights(*inputs[2:])
        self.states = new_states(self.steps, x, kept=self.keeps)
        found = np.empty((*x.shape[:2], len(self.graphs.channels)), np.float32)
        self.trace = self._new_trace(x.shape, self.steps, kept=True) if self.keeps else None
        pairs = np.empty((*x.shape[:2], found.shape[2] + closure.shape[2]), np.float32)

        def work(g: int, group: tuple[int, int]) -> None:
            trace = self.trace or self._new_trace(x.shape, 1, kept=False)
            outs = kernel.Outs(self.states, found, pairs)
            kernel.forward(self.maps, self.graphs, closure, trace, outs, self.steps, group)

        in_groups(work, len(x), uses_blas=False)
        return [*last_two(self.states, self.steps), pairs]

    def backward(self, *gradients: np.ndarray) -> Arrays:
        maps, (graphs, pairs, width), channels = self.maps, gradients[2].shape, len(self.graphs.channels)
        d_first, d_inputs = map(np.empty_like, (gradients[1], maps.inputs))
        parts = (np.empty((graphs, pairs, part), np.float32) for part in (channels, width - channels))
        d_outs = triangle_backward.OutGradients(*gradients, *parts)
        kept, sums = (self.trace, self.states), Sums(maps[1:], graphs)

        def work(g: int, group: tuple[int, int]) -> None:
            of_group = triangle_backward.Gradients(d_inputs, *sums.of_group(g))
            triangle_backward.backward(maps, self.graphs, *kept, d_outs, d_first, of_group, group)

        in_groups(work, graphs, uses_blas=False)
        return [d_first, d_outs.closure, d_inputs, *sums.total()]

    def _new_trace(self, size: tuple[int, ...], steps: int, *, kept: bool) -> kernel.Trace:
        """Arrays for what the way back needs of all steps of all graphs, or for one tile of one graph."""
        graphs, pairs, width = size
        channels = len(self.graphs.channels)
        begin = (steps, graphs if kept else 1)
        rows = pairs if kept else min(kernel.TILE, pairs)
        of_pair = ((2 * width, np.float32), (width, np.float32), (2, np.float32))
        return kernel.Trace(
            np.empty((*begin, self.graphs.order.shape[2], len(self.maps.of_counts)), np.float32),
            np.empty((*begin, rows, channels), np.float32),
            np.empty((*begin, rows), np.float32),
            np.empty((*begin, pairs if kept else 0, channels - width // 2), np.int16),
            *(np.empty((*begin, rows, each), kind) for each, kind in of_pair),
        )


class TriangleStart(Computation):
    """x, z and the closure's features from what the probes say of nodes, graphs and edges; see
    `kernels.triangle_start`."""

    def forward(self, *inputs: np.ndarray) -> Arrays:
        self.given, self.maps = triangle_inputs.Features(*inputs[:3]), triangle_start.Weights(*inputs[3:])
        graphs, self.nodes, _ = self.given.node.shape
        self.size, maps = (graphs, self.nodes**2), self.maps
        self.trace = self._new_trace()
        widths = (maps.first.shape[1], maps.inputs.shape[1], len(maps.scale))
        outs = triangle_start.Outs(*(np.empty((*self.size, width), np.float32) for width in widths))
        self.first = outs.first

        def work(g: int, group: tuple[int, int]) -> None:
            trace = self.trace if self.keeps else self._new_trace(self.trace.values)
            triangle_start.forward(self.given, maps, trace, outs, group)

        in_groups(work, graphs, uses_blas=False)
        return list(outs)

    def backward(self, *gradients: np.ndarray) -> Arrays:
        maps, d_outs = self.maps, triangle_start.Outs(*gradients)
        d_given, sums = triangle_inputs.Features(*map(np.empty_like, self.given)), Sums(maps, len(gradients[0]))

        def work(g: int, group: tuple[int, int]) -> None:
            of_group = triangle_start.Weights(*sums.of_group(g))
            triangle_start.backward(maps, self.trace, self.first, d_outs, d_given, of_group, group)

        in_groups(work, len(gradients[0]), uses_blas=False)
        return [*d_given, *sums.total()]

    def _new_trace(self, values: np.ndarray | None = None) -> triangle_start.Trace:
        """Arrays for what the way back needs, or for one tile of one graph; values are made for all graphs."""
        graphs, pairs = self.size
        channels, count = self.maps.values.shape[1], rounds(self.nodes)
        size = (graphs, pairs) if self.keeps else (1, min(triangle_start.TILE, pairs))
        return triangle_start.Trace(
            np.empty((count + 1, graphs, pairs, channels), np.float32) if values is None else values,
            np.empty((count, graphs, pairs if self.keeps else 0, channels), np.int16),
            np.empty((*size, len(self.maps.hidden)), np.float32),
            np.empty((*size, self.maps.hidden.shape[1]), np.float32),
            np.empty(size, np.float32),
        )
