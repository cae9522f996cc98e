"""A network as one function of tensors whose recurrent steps are a loop of the exported program."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from narlab.models import Batch, Network
from narlab.models.batch import Tensors
from narlab.models.encoders import Features, adjacency, linear_of_parts
from narlab.models.loops import fold
from narlab.models.readouts import FinalState, harden
from narlab.models.topology import Graphs, State

RANDOM_FEATURES, LENGTHS = "random_features", "lengths"


def input_names(network: Network) -> tuple[str, ...]:
    """What a network is told: its algorithm's inputs, random features without relations, the samples' lengths if its
    depth is their trajectory's, the first row of each hint that it encodes."""
    names = [probe.name for probe in network.algorithm.inputs]
    if not network.settings.relations:
        names.append(RANDOM_FEATURES)
    if network.depth.is_trajectory:
        names.append(LENGTHS)
    return (*names, *(probe.name for probe in network.hint_encoders.probes))


def input_tensors(network: Network, batch: Batch) -> Tensors:
    """The values of these inputs in a batch."""
    rows = {probe.name: (batch.hints or {})[probe.name][:, 0] for probe in network.hint_encoders.probes}
    found = {**batch.inputs, RANDOM_FEATURES: batch.random_features, LENGTHS: batch.lengths, **rows}
    return {name: found[name] for name in input_names(network)}


@dataclass(frozen=True)
class Moment:
    """What a step leaves: the states before and after it, and the hints that it was told."""

    before: State
    after: State
    told: Tensors

    def tensors(self) -> tuple[Tensor, ...]:
        states = (self.before.h, self.before.e, self.after.h, self.after.e, self.after.pairs)
        return (*(part for part in states if part is not None), *self.told.values())

    def rebuilt(self, tensors: Sequence[Tensor]) -> "Moment":
        """One of the same form with other numbers."""
        left: Iterator[Tensor] = iter(tensors)

        def like(part: Tensor | None) -> Tensor | None:
            return None if part is None else next(left)

        before = State(next(left), like(self.before.e))
        after = State(next(left), like(self.after.e), like(self.after.pairs))
        return Moment(before, after, dict(zip(self.told, left, strict=True)))


class Program(nn.Module):
    """The answers and logits of a network; `rounds` counts its steps after the first, 1, 2, ..., T - 1.

    A round 0 is none: onnxruntime wants at least one.
    """

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, rounds: Tensor, *tensors: Tensor) -> tuple[Tensor, ...]:
        given = dict(zip(input_names(self.network), tensors, strict=True))
        rollout = _Rollout(self.network, given)
        logits = rollout.logits(rounds)
        probes = self.network.algorithm.outputs
        answers = [harden(probe, logits[probe.name]) for probe in probes]
        return (*answers, *(logits[probe.name] for probe in probes))


class _Rollout:
    def __init__(self, network: Network, given: Tensors) -> None:
        self.network, self.given, pos = network, given, given["pos"]
        inputs = {probe.name: given[probe.name] for probe in network.algorithm.inputs}
        features = given.get(RANDOM_FEATURES, pos.new_zeros(()))
        lengths = given.get(LENGTHS, pos.new_zeros((), dtype=torch.int64))
        batch = Batch(network.algorithm.name, inputs, {}, None, lengths, features, pos)
        self.features = network.features_of(batch)
        self.graphs = network.graphs_of(batch)
        self.prepared = None if network.mode.encoded else self._prepare(self.features, self.graphs)
        self.zero = State(torch.zeros_like(self.features.node))

    def logits(self, rounds: Tensor) -> Tensors:
        """The first step is outside of the loop: before it there is no edge state, and the hints are the true ones."""
        told = {probe.name: self.given[probe.name] for probe in self.network.hint_encoders.probes}
        first = self._moment(self.zero, told)

        def next_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
            *carried, t = tensors
            moment = first.rebuilt(carried)
            return self._kept(carried, self._moment(moment.after, self._decoded(moment)).tensors(), t)

        last = first.rebuilt(fold(next_tensors, first.tensors(), rounds))
        return self.network.decoders(self._final(last))

    def _moment(self, before: State, told: Tensors) -> Moment:
        """The next step."""
        network = self.network
        features, prepared = self._told(told)
        before = before if network.mode.carries_state else self.zero
        after = network.processor.step(replace(before, pairs=None), prepared)
        if network.update_gate is not None:
            gate = linear_of_parts(network.update_gate, (features.node, before.h, after.h)).sigmoid()  # [B, N, 1]
            after = replace(after, h=gate * after.h + (1 - gate) * before.h)
        if network.quantiser is not None:
            after = replace(after, h=network.quantiser(after.h, None)[0])
        nothing = None if after.e is None else torch.zeros_like(after.e)
        return Moment(State(before.h, nothing if before.e is None else before.e), after, told)

    def _told(self, told: Tensors) -> tuple[Features, object]:
        """The features, and what is prepared of them, once hints have joined."""
        if self.prepared is not None:
            return self.features, self.prepared
        graphs, nodes, _ = self.features.node.shape  # asked of a tensor: no other number from outside gets into a loop
        features = self.features + self.network.hint_encoders(told, (graphs, nodes))
        probes = self.network.hint_encoders.probes
        return features, self._prepare(features, self.graphs.with_edges(adjacency(probes, told, nodes)))

    def _prepare(self, features: Features, graphs: Graphs) -> object:
        return self.network.processor.prepare(features, graphs.topology(self.network.processor.pairs))

    def _decoded(self, moment: Moment) -> Tensors:
        """The hints that the model itself says after a step."""
        if not self.network.mode.encoded:
            return {}
        logits = self.network.hint_decoders(self._final(moment))
        return {probe.name: harden(probe, logits[probe.name]) for probe in self.network.hint_encoders.probes}

    def _final(self, moment: Moment) -> FinalState:
        return FinalState(self._told(moment.told)[0], moment.before, moment.after)

    def _kept(self, old: Sequence[Tensor], new: Sequence[Tensor], t: Tensor) -> tuple[Tensor, ...]:
        """The new tensors; the old ones of samples whose trajectory is over, and in a round 0, which is none."""
        goes_on = t > 0
        if self.network.depth.is_trajectory:
            goes_on = goes_on & (t <= (self.given[LENGTHS] - 2).clamp_min(0))  # [B]
        pairs = zip(old, new, strict=True)
        return tuple(torch.where(goes_on.view(-1, *[1] * (was.ndim - 1)), becomes, was) for was, becomes in pairs)
