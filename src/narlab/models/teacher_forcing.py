"""Teacher forcing: where the hints of all steps are known, only the states have to wait for one another.

The graphs of all steps, each told its own hints, are one batch of T times B graphs: they are encoded and prepared
together, a kernel takes the steps, and what is read from their states is decoded together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from narlab.models.encoders import Features, adjacency
from narlab.models.kernels import TrajectoryKernel, is_plain
from narlab.models.network import Prediction
from narlab.models.readouts import FinalState
from narlab.models.topology import State

if TYPE_CHECKING:
    from narlab.models.network import Rollout


def run(rollout: Rollout) -> Prediction:
    """The logits of a model whose states are all that happens between its steps."""
    steps, graphs, worker = rollout.steps(), rollout.batch.size[0], rollout.worker
    assert isinstance(worker, TrajectoryKernel)
    features, prepared = _told(rollout, steps)
    states = worker.trajectory(rollout.zero, prepared, steps, steps + 1)  # [T + 1, B, N, H]
    before, after = State(states[:-1].flatten(0, 1)), State(states[1:].flatten(0, 1))
    final = FinalState(features, before, after, rollout.kernels)
    decoded = rollout.network.hint_decoders(final)
    last = torch.tensor(rollout.last_steps) * graphs + torch.arange(graphs)
    return Prediction(
        rollout.network.decoders(final.of_graphs(last)),
        {name: logits.unflatten(0, (steps, graphs)).transpose(0, 1) for name, logits in decoded.items()},
        rollout.penalty,
    )


def _told(rollout: Rollout, steps: int) -> tuple[Features, object]:
    """The features of all steps' graphs, and what is prepared of them."""
    count, nodes = rollout.batch.size
    encoders, hints, graphs = rollout.network.hint_encoders, rollout.batch.hints, rollout.graphs
    assert hints is not None
    rows = {probe.name: hints[probe.name][:, :steps].transpose(0, 1).flatten(0, 1) for probe in encoders.probes}
    features = rollout.features.repeated(steps)
    if all(map(is_plain, encoders.maps.values())):
        features = replace(features, told=encoders.told(rollout.features.node, rows, steps * count))
    if not encoders.probes:
        return features, rollout.prepare(rollout.features, graphs)
    features = replace(features + encoders(rows, (steps * count, nodes)), told=features.told)
    graphs = graphs.repeated(steps).with_edges(adjacency(encoders.probes, rows, nodes))
    return features, rollout.prepare(features, graphs)
