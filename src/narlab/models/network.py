"""The network: encode the probes, process for a number of steps, decode the outputs."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from narlab import algorithms
from narlab.algorithms.engine import Algorithm
from narlab.common.errors import UsageError, check_integer
from narlab.models import depth, hint_modes, kernels, positions, processors, readouts
from narlab.models.batch import Batch, Tensors
from narlab.models.encoders import (
    Encoders,
    Features,
    adjacency,
    input_probes,
    input_values,
    linear_of_parts,
    new_linear,
)
from narlab.models.readouts import FinalState, harden
from narlab.models.settings import ResolvedSettings
from narlab.models.topology import Graphs, State, next_nodes
from narlab.specs import Location


@dataclass(frozen=True)
class Prediction:
    """Logits of the outputs [B, ...], of the hints of steps 1 to T - 1 [B, T - 1, ...] where they are decoded, and what
    the model itself adds to the loss."""

    outputs: Tensors
    hints: Tensors
    penalty: Tensor


class Network(nn.Module):
    """A model of one algorithm; see `ModelSettings` for what it is made of. It runs on graphs of any size.

    `depth` says how many steps it makes, and may be set to another rule: `model.depth = depth.parse("2*n")`. Networks
    can be copied, pickled, saved whole by `torch.save` and averaged; things from outside come back by their names.

    >>> import copy, narlab, torch
    >>> model = narlab.models.build("bfs", hidden=8, depth="n/2")
    >>> average = torch.optim.swa_utils.AveragedModel(model)
    >>> average.update_parameters(copy.deepcopy(model))
    """

    def __init__(self, settings: ResolvedSettings) -> None:
        super().__init__()
        self.settings = settings
        self.mode = hint_modes.get(settings.hints)
        self.depth = depth.parse(settings.depth)
        self.position = positions.get(settings.position)()
        hidden, readout = settings.hidden, readouts.get(settings.readout)
        self.inputs = input_probes(self.algorithm, self.position, relations=settings.relations)
        self.hints = tuple(probe for probe in self.algorithm.hints if settings.uses_hint(probe.name))
        self.encoders = Encoders(self.inputs, hidden)
        self.pair_features = _joined_pair_features(settings.pair_features, hidden)
        self.processor = processors.make(settings.processor, hidden)
        self.decoders = readout.of(self.algorithm.outputs, hidden, self.processor)
        self.hint_encoders = Encoders(self.hints if self.mode.encoded else (), hidden)
        self.hint_decoders = readout.of(self.hints if self.mode.decoded else (), hidden, self.processor)
        self.update_gate = new_linear(3 * hidden, 1) if self.mode.masks_updates else None
        self.quantiser = _new_quantiser(settings.quantiser, hidden) if settings.quantiser else None
        self.uses_kernels = True  # where they can run; the plain way gives the same, slower

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that the network learns; looked up, since compiled functions can't be copied or pickled."""
        return algorithms.get(self.settings.algorithm)

    @property
    def is_uniform(self) -> bool:
        """Whether all steps are alike, and outputs are read after the last of them."""
        return not self.mode.needs_hints and not self.depth.is_trajectory and self.quantiser is None

    @property
    def is_for_all_threads(self) -> bool:
        """Whether kernels do so much of a training step that `kernels.all_threads` makes it faster."""
        kernel = kernels.kernel_of(self.processor) if self.uses_kernels and self.is_uniform else None
        return kernel is not None and kernel.takes_all_threads

    def features_of(self, batch: Batch, *, kernels: bool = False) -> Features:
        """What the batch's inputs say of nodes, pairs and graphs."""
        related = self.algorithm if self.settings.relations else None
        values = input_values(batch, self.position, training=self.training, related=related)
        features = self.encoders(values, batch.size)
        if self.pair_features is None:
            return features
        return self.pair_features(features, batch, self.graphs_of(batch), kernels=kernels)

    def graphs_of(self, batch: Batch) -> Graphs:
        """The graphs that the batch's inputs tell of."""
        found = adjacency(self.algorithm.inputs, batch.inputs, batch.size[1])
        graphs = Graphs.of(found, batch.size, batch.inputs["pos"].device, given=self.algorithm.has_graph)
        return replace(graphs, next=next_nodes(batch.inputs))

    def forward(self, batch: Batch, *, depth: int | None = None, without_gradient: int = 0) -> Prediction:
        """Logits for `batch`; in training mode the true hints are fed, in evaluation the model's own.

        Arguments:
            depth: the number of steps, instead of the model's own rule.
            without_gradient: so many steps are done first, of which nothing is kept for a gradient.
        """
        self._check(batch)
        self._check_steps(depth, without_gradient)
        return Rollout(self, batch, depth).run(without_gradient)

    def states(self, batch: Batch, *, depth: int | None = None) -> list[State]:
        """The state after each step, in one pass: h [B, N, H], and e [B, N, N, H] where the processor has it.

        >>> import narlab
        >>> model = narlab.models.build("bfs", hidden=8, depth=3)
        >>> batch = narlab.models.make_batch(narlab.data.custom("bfs", n=4, count=2))
        >>> [state.h.shape for state in model.states(batch)]
        [torch.Size([2, 4, 8]), torch.Size([2, 4, 8]), torch.Size([2, 4, 8])]
        """
        return [State(final.node[2], final.edge[2], final.pairs) for final in self._finals(batch, depth)]

    def outputs_by_step(self, batch: Batch, *, depth: int | None = None) -> list[Tensors]:
        """Logits of the outputs as they are read after each step, in one pass; the last are those of `forward`.

        Where each sample runs for as long as its algorithm did, there are as many as the longest of them needs.

        >>> import narlab
        >>> model = narlab.models.build("bfs", hidden=8, depth=3)
        >>> batch = narlab.models.make_batch(narlab.data.custom("bfs", n=4, count=2))
        >>> [logits["pi"].shape for logits in model.outputs_by_step(batch)]
        [torch.Size([2, 4, 4]), torch.Size([2, 4, 4]), torch.Size([2, 4, 4])]
        """
        return [self.decoders(final) for final in self._finals(batch, depth)]

    def _finals(self, batch: Batch, depth: int | None) -> Iterator[FinalState]:
        self._check(batch)
        self._check_steps(depth, 0)
        return Rollout(self, batch, depth).final_states([])

    def _check(self, batch: Batch) -> None:
        if algorithms.get(batch.algorithm).name != self.algorithm.name:
            raise UsageError(f"this model is for {self.algorithm.name}, the batch is of {batch.algorithm}")
        if self.mode.needs_hints and batch.hints is None:
            raise UsageError(
                f"a model with hints={self.settings.hints!r} needs a batch with hints: load it with hints=True"
            )

    def _check_steps(self, depth: int | None, without_gradient: int) -> None:
        check_integer("without_gradient", without_gradient, 0)
        if depth is not None:
            check_integer("depth", depth, 1)
            if self.depth.is_trajectory:
                raise UsageError(f"depth={depth} needs a model without hints, whose depth is no trajectory")
        if without_gradient and not self.is_uniform:
            raise UsageError(
                f"without_gradient={without_gradient} needs a model without hints and quantiser, "
                "whose depth is no trajectory"
            )


def _joined_pair_features(names: tuple[str, ...], hidden: int) -> nn.Module | None:
    if not names:
        return None
    from narlab.models.pair_features import JoinedPairFeatures  # few models have some

    return JoinedPairFeatures(names, hidden)


def _new_quantiser(name: str, hidden: int) -> nn.Module:
    from narlab.models import quantisers  # few models have one

    return quantisers.get(name)(hidden)


class Rollout:
    """One pass of a network over a batch, of `depth` steps if it is given."""

    def __init__(self, network: Network, batch: Batch, depth: int | None) -> None:
        self.network, self.batch = network, batch
        self.depth = depth
        self.kernels = network.uses_kernels and kernels.can_run(network)
        self.features = network.features_of(batch, kernels=self.kernels)
        self.device = self.features.node.device
        self.graphs = network.graphs_of(batch)
        self.generator = torch.Generator(self.device).manual_seed(batch.seed)
        self.zero = State(torch.zeros_like(self.features.node))
        self.penalty = self.features.node.new_zeros(())
        self.last_steps = self._last_steps()
        self.worker = (kernels.kernel_as_declared(network.processor) if self.kernels else None) or network.processor

    def _last_steps(self) -> list[int]:
        """The step whose state each sample's outputs are read from."""
        graphs, nodes = self.batch.size
        if self.network.depth.is_trajectory:
            return [max(length - 2, 0) for length in self.batch.lengths.tolist()]
        return [(self.depth or self.network.depth.of(nodes)) - 1] * graphs

    def run(self, without_gradient: int) -> Prediction:
        if self.network.is_uniform:
            return self._run_at_once(without_gradient)
        if self._can_be_forced:
            from narlab.models import teacher_forcing  # models without hints do without it

            return teacher_forcing.run(self)
        return self._run_step_by_step()

    @property
    def _can_be_forced(self) -> bool:
        """Whether all that steps are told is known beforehand, and their states are all that happens between them."""
        network, mode = self.network, self.network.mode
        ends = (network.hint_encoders, network.hint_decoders, network.decoders)
        only_states = network.update_gate is None and network.quantiser is None and mode.carries_state
        knows_hints = mode.needs_hints and network.training and isinstance(self.worker, kernels.TrajectoryKernel)
        return only_states and knows_hints and all(map(kernels.is_as_made, ends))

    def _run_at_once(self, without_gradient: int) -> Prediction:
        """Where nothing happens between steps."""
        prepared, state = self.prepare(self.features, self.graphs), self.zero
        if without_gradient:
            with torch.no_grad():
                _, state = self.worker.steps(state, prepared, without_gradient)
        steps = self.depth or self.network.depth.of(self.batch.size[1])
        before, after = self.worker.steps(state, prepared, steps)
        final = FinalState(self.features, before, after, self.kernels)
        return Prediction(self.network.decoders(final), {}, self.penalty)

    def _run_step_by_step(self) -> Prediction:
        outputs, decoded = list[tuple[list[int], Tensors]](), list[Tensors]()
        for t, final in enumerate(self.final_states(decoded)):
            if ended := [b for b, last in enumerate(self.last_steps) if last == t]:
                outputs.append((ended, self._decode(ended, final)))
        names = [probe.name for probe in self.network.hint_decoders.probes]
        rows = {name: torch.stack([row[name] for row in decoded], 1) for name in names}
        return Prediction(_joined(outputs), rows, self.penalty)

    def final_states(self, decoded: list[Tensors]) -> Iterator[FinalState]:
        """What a readout sees if each step is the last one; the hints that it decodes are added to `decoded`."""
        mode = self.network.mode
        features, prepared, state = self.features, self.prepare(self.features, self.graphs), self.zero
        for t in range(self.steps()):
            if mode.encoded:
                features, prepared = self._with_hints(t, decoded)
            before = state if mode.carries_state else self.zero
            state = self._step(t, features, before, prepared)
            final = FinalState(features, before, state, self.kernels)
            if mode.decoded:
                decoded.append(self.network.hint_decoders(final))
            yield final

    def steps(self) -> int:
        """With hints as many as the longest trajectory of the batch needs."""
        longest = max(self.last_steps, default=0) + 1
        hints = self.batch.hints
        if not self.network.mode.needs_hints or not hints:
            return longest
        return max(next(iter(hints.values())).shape[1] - 1, 1)

    def prepare(self, features: Features, graphs: Graphs) -> object:
        return self.worker.prepare(features, graphs.topology(self.network.processor.pairs))

    def _with_hints(self, t: int, decoded: list[Tensors]) -> tuple[Features, object]:
        """Features and what is prepared of them once the hints of step `t` have joined."""
        probes = self.network.hint_encoders.probes
        if t == 0 or self.network.training:
            assert self.batch.hints is not None
            row = {probe.name: self.batch.hints[probe.name][:, t] for probe in probes}
        else:
            row = {probe.name: harden(probe, decoded[-1][probe.name]) for probe in probes}
        features = self.features + self.network.hint_encoders(row, self.batch.size)
        return features, self.prepare(features, self.graphs.with_edges(adjacency(probes, row, self.batch.size[1])))

    def _step(self, t: int, features: Features, before: State, prepared: object) -> State:
        network = self.network
        _, state = self.worker.steps(before, prepared, 1)
        if network.update_gate is not None:
            logits = linear_of_parts(network.update_gate, (features.node, before.h, state.h))  # [B, N, 1]
            gate = logits.sigmoid()
            state = replace(state, h=gate * state.h + (1 - gate) * before.h)
            self.penalty = self.penalty + self._gate_loss(t, logits[..., 0])
        if network.quantiser is not None:
            quantised, penalty = network.quantiser(state.h, self.generator)
            state = replace(state, h=quantised)
            self.penalty = self.penalty + penalty
        return state

    def _gate_loss(self, t: int, logits: Tensor) -> Tensor:
        """How far the gate is from opening at the nodes, and only those, whose hints change after row `t`.

        The sum over all `t` is one mean over all nodes of all steps that took place.
        """
        hints, probes = self.batch.hints, self.network.hints
        assert hints is not None
        changed = torch.zeros_like(logits)
        for probe in probes:
            rows = hints[probe.name]
            if probe.location is Location.NODE and t + 1 < rows.shape[1]:
                differs = (
                    (rows[:, t + 1] != rows[:, t]).flatten(2).any(2) if rows.ndim > 3 else rows[:, t + 1] != rows[:, t]
                )
                changed = changed.maximum(differs.float())
        lengths = self.batch.lengths.to(logits.device)
        active = (lengths > t + 1).float()[:, None].expand_as(logits)
        losses = binary_cross_entropy_with_logits(logits, changed, active, reduction="sum")
        return losses / ((lengths - 1).sum() * logits.shape[1]).clamp_min(1)

    def _decode(self, ended: list[int], final: FinalState) -> Tensors:
        if len(ended) < self.batch.size[0]:
            final = final.of_graphs(torch.tensor(ended, device=self.device))
        return self.network.decoders(final)


def _joined(parts: list[tuple[list[int], Tensors]]) -> Tensors:
    """The outputs of all samples, in the batch's order."""
    if len(parts) == 1:
        return parts[0][1]
    place = torch.tensor([b for ended, _ in parts for b in ended]).argsort()
    names = parts[0][1] if parts else {}
    return {
        name: torch.cat([logits[name] for _, logits in parts])[place.to(parts[0][1][name].device)] for name in names
    }
