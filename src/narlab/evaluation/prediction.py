"""A model's answers on a data set, in batches as large as the machine likes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import torch

from narlab.data import Dataset
from narlab.evaluation.scores import Scores, scores_of_values
from narlab.models import Network, make_batch
from narlab.models.batch import Tensors, random_features
from narlab.models.kernels import kernel_of
from narlab.models.processors import Memory
from narlab.models.readouts import harden

MOST_GRAPHS = 512  # in a batch
MOST_PAIRS = {"cpu": 2**13, "cuda": 2**17}  # on a CPU what stays near its caches, on a GPU what fits its memory
MOST_TRIPLES = {"cpu": 2**16, "cuda": 2**22}
MOST_PAIRS_OF_KERNELS = 2**15  # they work on one graph at a time, and on as many as there are threads


def evaluate(
    model: Network, dataset: Dataset, *, seed: int = 0, progress: Callable[[int], None] = lambda done: None
) -> Scores:
    """The scores of `model` on the whole of `dataset`; `seed` decides the random node features."""
    return scores_of_values(model.algorithm.name, *predict(model, dataset, seed=seed, progress=progress))


def predict(
    model: Network, dataset: Dataset, *, seed: int = 0, progress: Callable[[int], None] = lambda done: None
) -> tuple[Tensors, Tensors]:
    """Predicted and true outputs [count, ...] by name, on the CPU; `progress` is told of each batch's graphs.

    All random features are drawn before the first batch, so that they don't depend on how the data is split.
    """
    generator = torch.Generator().manual_seed(seed)
    features = random_features(len(dataset), dataset[:1].inputs["pos"].shape[1], generator)
    done = 0
    device = next(model.parameters()).device
    predicted: list[Tensors] = []
    truth: list[Tensors] = []
    with evaluating(model):
        for part in dataset.chunks(batch_size(model, dataset.description.n)):
            batch = replace(make_batch(part, generator), random_features=features[done : done + len(part)])
            logits = model(batch.to(device)).outputs
            probes = model.algorithm.outputs
            predicted.append({probe.name: harden(probe, logits[probe.name]).cpu() for probe in probes})
            truth.append(batch.outputs)
            done += len(part)
            progress(len(part))
    return _joined(predicted), _joined(truth)


def batch_size(model: Network, nodes: int) -> int:
    """How many graphs of this size go into a batch.

    Decoders and messages take memory for N^2 pairs, attention among pairs for N^3 triples. On a CPU more of them than
    its caches hold cost up to twice the time, and gain nothing. Kernels need no room for triples, and at least a graph
    for each thread.
    """
    device = next(model.parameters()).device.type
    device = device if device in MOST_PAIRS else "cuda"
    if kernel_of(model.processor) is not None:
        return min(MOST_GRAPHS, max(torch.get_num_threads(), MOST_PAIRS_OF_KERNELS // nodes**2))
    graphs = MOST_PAIRS[device] // nodes**2
    if model.processor.memory is Memory.TRIPLES:
        graphs = min(graphs, MOST_TRIPLES[device] // nodes**3)
    return max(1, min(MOST_GRAPHS, graphs))


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
