"""Scores and losses equal those of dm-clrs on random predictions."""

import warnings

import numpy as np
import pytest
import torch

from narlab import algorithms
from narlab.evaluation import hint_scores, loss, scores
from narlab.models import Prediction
from narlab.specs import Type

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]
SURE = 3.0  # how much logits lean to the truth, at most, against noise of deviation 1


@pytest.fixture(scope="module")
def clrs():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("clrs")
        import clrs
        from clrs._src import decoders, losses  # not part of the package's interface

        clrs.postprocess, clrs.losses = decoders.postprocess, losses
        return clrs


def leaning_logits(probe, truth, nodes, generator):
    """Random logits, more right in some samples than in others, so that no score is trivial."""
    right = torch.nn.functional.one_hot(truth, nodes).float() if probe.type is Type.POINTER else truth
    strength = SURE * torch.rand(len(right), generator=generator).reshape(-1, *[1] * (right.ndim - 1))
    return strength * (2 * right - 1) + torch.randn(right.shape, generator=generator)


def predict(batch):
    algorithm, nodes = algorithms.get(batch.algorithm), batch.size[1]
    generator = torch.Generator().manual_seed(1)
    outputs = {p.name: leaning_logits(p, batch.outputs[p.name], nodes, generator) for p in algorithm.outputs}
    hints = {p.name: leaning_logits(p, batch.hints[p.name][:, 1:], nodes, generator) for p in algorithm.hints}
    return Prediction(outputs, hints, torch.zeros(()))


def points(clrs, probes, arrays):
    """Our arrays as theirs; hints have time first."""
    return tuple(
        clrs.DataPoint(name=probe.name, location=str(probe.location), type_=str(probe.type), data=arrays[probe.name])
        for probe in probes
    )


def time_first(tensors):
    return {name: tensor.transpose(0, 1).numpy() for name, tensor in tensors.items()}


@pytest.fixture(params=algorithms.CLRS_30)
def case(request, batch_of):
    batch = batch_of(request.param, n=7, count=24, hints=True)
    spec = {p.name: (str(p.stage), str(p.location), str(p.type)) for p in algorithms.get(request.param).probes}
    return batch, predict(batch), spec


def test_scores(case, clrs):
    batch, prediction, spec = case
    hard = clrs.postprocess(spec, {k: v.numpy() for k, v in prediction.outputs.items()}, 0.1, 50, hard=True)
    truth = points(clrs, algorithms.get(batch.algorithm).outputs, {k: v.numpy() for k, v in batch.outputs.items()})
    theirs = clrs.evaluate(truth, hard)
    ours = scores(batch.algorithm, prediction.outputs, batch.outputs)
    assert ours.score == pytest.approx(theirs.pop("score"), abs=1e-6)
    assert ours.by_output == pytest.approx({name: float(score) for name, score in theirs.items()}, abs=1e-6)
    assert 0.05 < ours.score < 1


def test_hint_scores(case, clrs):
    batch, prediction, spec = case
    rows = time_first(prediction.hints)
    steps = len(next(iter(rows.values())))
    hard = [clrs.postprocess(spec, {k: v[t] for k, v in rows.items()}, 0.1, 25, hard=True) for t in range(steps)]
    truth = points(clrs, algorithms.get(batch.algorithm).hints, time_first(batch.hints))
    theirs = clrs.evaluate_hints(truth, batch.lengths.numpy().astype(float), hard)
    ours = hint_scores(batch.algorithm, prediction.hints, batch.hints, batch.lengths)
    assert ours == pytest.approx({name: float(theirs[name]) for name in ours}, rel=1e-5)


def test_losses(case, clrs):
    batch, prediction, _ = case
    algorithm, nodes = algorithms.get(batch.algorithm), batch.size[1]
    total = 0.0
    for truth in points(clrs, algorithm.outputs, {k: v.numpy() for k, v in batch.outputs.items()}):
        total += float(clrs.losses.output_loss(truth, prediction.outputs[truth.name].numpy(), nodes))
    rows = time_first(prediction.hints)
    for truth in points(clrs, algorithm.hints, time_first(batch.hints)):
        total += float(clrs.losses.hint_loss(truth, list(rows[truth.name]), np.array(batch.lengths), nodes))
    assert loss(prediction, batch).item() == pytest.approx(total, rel=1e-4)
