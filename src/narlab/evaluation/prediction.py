"""A model's answers on a data set, in batches as large as the machine likes, and what metrics say of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from narlab.algorithms.engine import Algorithm
from narlab.common.errors import UsageError
from narlab.common.machine import check_memory
from narlab.data import Dataset
from narlab.evaluation.metrics import DEFAULT, Arrays, Instances, Metric, get_all
from narlab.evaluation.scores import Scores, counts_of
from narlab.models import Batch, Network, make_batch
from narlab.models import depth as depths
from narlab.models.batch import RANDOM_FEATURES, Tensors, random_features
from narlab.models.kernels import kernel_of
from narlab.models.processors import Memory
from narlab.models.readouts import harden
from narlab.specs import Probe

MOST_GRAPHS = 512  # in a batch
BYTES_PER_NODE = 2 * 4 * RANDOM_FEATURES  # of random features, as they are drawn and as they are used
BYTES_PER_PAIR = 24  # of a graph as it is made, as a batch, and of answers; 35 were seen with n=4096
MOST_PAIRS = {"cpu": 2**13, "cuda": 2**17}  # on a CPU what stays near its caches, on a GPU what fits its memory
MOST_TRIPLES = {"cpu": 2**16, "cuda": 2**22}
MOST_PAIRS_OF_KERNELS = 2**15  # they work on one graph at a time, and on as many as there are threads
MOST_PAIRS_AT_ALL = 2**21  # however many threads: a gigabyte of features of pairs
Progress = Callable[[int], None]


def no_progress(graphs: int) -> None:
    """Nobody waits for news."""


def evaluate(
    model: Network,
    dataset: Dataset,
    *,
    metrics: Iterable[str | Metric] = DEFAULT,
    depth: int | str | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Scores:
    """The values of `metrics` (names or objects) on the whole of `dataset`, by their names.

    `depth`, a number or a rule such as "2*n", stands in for the model's own; `seed` decides the random node features;
    `progress` is told of each batch's graphs.

    >>> from narlab import data, models
    >>> scores = evaluate(models.build("bfs", hidden=8), data.custom("bfs", n=8, count=10))
    >>> list(scores), 0 <= scores["graph_score"] <= scores["score"] <= 1
    (['score', 'graph_score'], True)
    """
    chosen = applicable(metrics, model.algorithm, dataset)
    return Scores.of_counts(counts_of(chosen, *answer(model, dataset, depth=depth, seed=seed, progress=progress)))


def applicable(metrics: Iterable[str | Metric], algorithm: Algorithm, dataset: Dataset) -> tuple[Metric, ...]:
    """The metrics, if all of them have a meaning for the algorithm on the data set."""
    chosen = get_all(metrics)
    for metric in chosen:
        if not metric.applies(algorithm, dataset):
            where = f"{algorithm.name} on the data set {dataset.description.dataset!r}"
            needs = f": it needs {metric.needs}" if metric.needs else ""
            raise UsageError(f"the metric {metric.name!r} has no meaning for {where}{needs}")
    return chosen


def predict(
    model: Network,
    dataset: Dataset,
    *,
    depth: int | str | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> tuple[Tensors, Tensors]:
    """Predicted and true outputs [count, ...] by name, on the CPU; `progress` is told of each batch's graphs.

    >>> from narlab import data, models
    >>> predicted, truth = predict(models.build("bfs", hidden=8), data.custom("bfs", n=8, count=10))
    >>> predicted["pi"].shape == truth["pi"].shape == (10, 8)
    True
    """
    parts = [(values, batch.outputs) for _, batch, values in _batches(model, dataset, depth, seed, progress)]
    predicted, truth = zip(*parts, strict=True)
    return _joined(predicted, torch.cat), _joined(truth, torch.cat)


def predict_each_step(model: Network, dataset: Dataset, *, depth: int | None = None, seed: int = 0) -> list[Tensors]:
    """The outputs [count, ...] that a model would answer after each of its steps; the last are those of `predict`.

    All samples go through the model at once, so they should be few.

    >>> from narlab import data, models
    >>> answers = predict_each_step(models.build("bfs", hidden=8, depth=3), data.custom("bfs", n=8, count=2))
    >>> [answer["pi"].shape for answer in answers]
    [torch.Size([2, 8]), torch.Size([2, 8]), torch.Size([2, 8])]
    """
    ((_, batch),) = _inputs_in_batches(dataset, len(dataset), seed)
    with evaluating(model):
        logits = model.outputs_by_step(batch.to(next(model.parameters()).device), depth=depth)
        return [_hardened(model, each) for each in logits]


def answer(
    model: Network,
    dataset: Dataset,
    *,
    depth: int | str | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> tuple[Instances, Arrays]:
    """What metrics are given: the instances, inputs included, and the predicted arrays, in the probes' dtypes."""
    algorithm = model.algorithm

    def given(part: Dataset) -> tuple[Arrays, Arrays, Arrays]:
        return _narrow(algorithm.inputs, part.inputs), _narrow(algorithm.outputs, part.outputs), part.marks

    parts = [
        (*given(part), as_arrays(algorithm, values))
        for part, _, values in _batches(model, dataset, depth, seed, progress)
    ]
    inputs, outputs, marks, predicted = (_joined(stage, np.concatenate) for stage in zip(*parts, strict=True))
    return Instances(algorithm, inputs, outputs, marks), predicted


def as_arrays(algorithm: Algorithm, values: Tensors) -> dict[str, np.ndarray]:
    """Values of the outputs as arrays in the probes' dtypes."""
    return {probe.name: values[probe.name].numpy().astype(probe.dtype) for probe in algorithm.outputs}


def _batches(
    model: Network, dataset: Dataset, depth: int | str | None, seed: int, progress: Progress
) -> Iterator[tuple[Dataset, Batch, Tensors]]:
    """The data set in parts, each as a batch, with the model's answers on it."""
    _check_fits(model, len(dataset), dataset.description.n)  # before a graph is made
    nodes = _nodes(dataset)
    steps, device = steps_at(depth, nodes), next(model.parameters()).device
    for part, batch in _inputs_in_batches(dataset, batch_size(model, nodes), seed):
        with evaluating(model):
            values = _hardened(model, model(batch.to(device), depth=steps).outputs)
        yield part, batch, values
        progress(len(part))


def _inputs_in_batches(dataset: Dataset, graphs: int, seed: int) -> Iterator[tuple[Dataset, Batch]]:
    """The data set in parts of so many graphs.

    All random features are drawn before the first batch, so that they don't depend on how the data is split.
    """
    generator = torch.Generator().manual_seed(seed)
    features, done = random_features(len(dataset), _nodes(dataset), generator), 0
    for part in dataset.chunks(graphs):
        yield part, replace(make_batch(part, generator), random_features=features[done : done + len(part)])
        done += len(part)


def _nodes(dataset: Dataset) -> int:
    if not len(dataset):
        raise UsageError(f"there is no sample in {dataset!r}")
    return dataset[:1].inputs["pos"].shape[1]


def _hardened(model: Network, logits: Tensors) -> Tensors:
    return {probe.name: harden(probe, logits[probe.name]).cpu() for probe in model.algorithm.outputs}


def steps_at(depth: int | str | None, nodes: int) -> int | None:
    """The number of steps that a depth stands for, `None` for the model's own."""
    if depth is None:
        return None
    rule = depths.parse(depth)
    if rule.is_trajectory:
        raise UsageError(f"a model is asked at a depth that is a number or a rule such as 'n/2', got {depth!r}")
    return rule.of(nodes)


def batch_size(model: Network, nodes: int) -> int:
    """How many graphs of this size go into a batch.

    Decoders and messages take memory for N^2 pairs, attention among pairs for N^3 triples. On a CPU more of them than
    its caches hold cost up to twice the time, and gain nothing. Kernels need no room for triples, and a graph for each
    thread where they are not too large.
    """
    device = next(model.parameters()).device.type
    device = device if device in MOST_PAIRS else "cuda"
    if kernel_of(model.processor) is not None:
        at_once = max(1, min(torch.get_num_threads(), MOST_PAIRS_AT_ALL // nodes**2))
        return min(MOST_GRAPHS, max(at_once, MOST_PAIRS_OF_KERNELS // nodes**2))
    graphs = MOST_PAIRS[device] // nodes**2
    if model.processor.memory is Memory.TRIPLES:
        graphs = min(graphs, MOST_TRIPLES[device] // nodes**3)
    return max(1, min(MOST_GRAPHS, graphs))


def _check_fits(model: Network, graphs: int, nodes: int) -> None:
    """Raise a `UsageError` if graphs need more memory than there is, counted by the least that any model takes."""
    features = f"the random features of {graphs} graphs of {nodes} nodes"
    check_memory(features, BYTES_PER_NODE * nodes * graphs, "take fewer graphs")
    is_of_pairs = model.processor.memory is Memory.TRIPLES  # states of pairs, before and after a step
    states = 4 * 2 * model.settings.hidden if is_of_pairs else 0
    needed = nodes**2 * (BYTES_PER_PAIR + states)
    check_memory(f"a graph of {nodes} nodes with this model", needed, "take smaller graphs")


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


def _narrow(probes: Sequence[Probe], arrays: Arrays) -> dict[str, np.ndarray]:
    return {probe.name: arrays[probe.name].astype(probe.dtype, copy=False) for probe in probes}


def _joined(parts: Sequence[Mapping[str, Any]], join: Callable[[list], Any]) -> dict[str, Any]:
    """Tensors or arrays by name, those of all parts in one."""
    return {name: join([part[name] for part in parts]) for name in parts[0]}
