"""A model's answers on a data set, in batches as large as memory likes."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from narlab.data import Dataset
from narlab.evaluation.scores import Scores, scores_of_values
from narlab.models import Network, make_batch
from narlab.models.batch import Tensors
from narlab.models.decoders import harden

MOST_GRAPHS, MOST_PAIRS, MOST_TRIPLES = 512, 2**17, 2**22  # in a batch


def evaluate(model: Network, dataset: Dataset, *, seed: int = 0) -> Scores:
    """The scores of `model` on the whole of `dataset`; `seed` decides the random node features."""
    return scores_of_values(model.algorithm.name, *predict(model, dataset, seed=seed))


def predict(model: Network, dataset: Dataset, *, seed: int = 0) -> tuple[Tensors, Tensors]:
    """Predicted and true outputs [count, ...] by name, on the CPU."""
    generator = torch.Generator().manual_seed(seed)
    device = next(model.parameters()).device
    predicted: list[Tensors] = []
    truth: list[Tensors] = []
    with evaluating(model):
        for part in dataset.chunks(batch_size(dataset)):
            batch = make_batch(part, generator)
            logits = model(batch.to(device)).outputs
            probes = model.algorithm.outputs
            predicted.append({probe.name: harden(probe, logits[probe.name]).cpu() for probe in probes})
            truth.append(batch.outputs)
    return _joined(predicted), _joined(truth)


def batch_size(dataset: Dataset) -> int:
    """How many graphs of this size go into a batch: 2WL's memory grows with N^3, that of all pairs with N^2."""
    nodes = dataset.recipe.n
    return max(1, min(MOST_GRAPHS, MOST_PAIRS // nodes**2, MOST_TRIPLES // nodes**3))


@contextmanager
def evaluating(model: Network) -> Iterator[None]:
    """In evaluation mode and without gradients."""
    before = model.training
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        model.train(before)


def _joined(parts: list[Tensors]) -> Tensors:
    return {name: torch.cat([part[name] for part in parts]) for name in parts[0]}
