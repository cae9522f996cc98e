"""A batch: samples of one algorithm as tensors, with all that is random about it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from narlab import algorithms
from narlab.data import Dataset, Description, Sample
from narlab.data.generation import Samples
from narlab.specs import Probe, Type

RANDOM_FEATURES = 16
Tensors = dict[str, Tensor]


@dataclass(frozen=True)
class Batch:
    """Probes by name: inputs and outputs [B, ...], hints [B, T, ...] or `None`, lengths [B].

    Pointers are int64, all else is float32. `random_features` [B, N, 16] make nodes distinguishable; `random_pos`
    [B, N] is the random scalar index, which a model uses in training if that is its position encoding; `seed` decides
    any noise inside the model.
    """

    algorithm: str
    inputs: Tensors
    outputs: Tensors
    hints: Tensors | None
    lengths: Tensor
    random_features: Tensor
    random_pos: Tensor
    seed: int = 0

    @property
    def size(self) -> tuple[int, int]:
        """The number of graphs and of nodes."""
        graphs, nodes = self.inputs["pos"].shape
        return graphs, nodes

    def to(self, device: torch.device | str) -> "Batch":
        """The same batch on another device; a GPU fetches it from pinned memory while the CPU goes on.

        Lengths stay: Python counts with them.
        """
        pins = torch.device(device).type == "cuda"

        def move(tensor: Tensor) -> Tensor:
            return (tensor.pin_memory() if pins else tensor).to(device, non_blocking=pins)

        def all_of(tensors: Tensors) -> Tensors:
            return {name: move(tensor) for name, tensor in tensors.items()}

        return replace(
            self,
            inputs=all_of(self.inputs),
            outputs=all_of(self.outputs),
            hints=None if self.hints is None else all_of(self.hints),
            random_features=move(self.random_features),
            random_pos=move(self.random_pos),
        )


def make_batch(dataset: Dataset, generator: torch.Generator | int = 0) -> Batch:
    """All samples of `dataset` (take a slice of it) as one batch; `generator`, or a seed, decides what is random."""
    if isinstance(generator, int):
        generator = torch.Generator().manual_seed(generator)
    algorithm = algorithms.get(dataset.algorithm)
    inputs = _tensors(algorithm.inputs, dataset.inputs)
    return Batch(
        algorithm=dataset.algorithm,
        inputs=inputs,
        outputs=_tensors(algorithm.outputs, dataset.outputs),
        hints=_tensors(algorithm.hints, dataset.hints) if dataset.has_hints else None,
        lengths=torch.from_numpy(np.array(dataset.lengths)),
        random_features=random_features(len(inputs["pos"]), inputs["pos"].shape[1], generator),
        random_pos=random_positions(inputs["pos"], generator),
        seed=int(torch.randint(2**31, (), generator=generator)),
    )


def of_zeros(algorithm: str, nodes: int, *, hints: bool = False) -> Batch:
    """A batch of one graph whose probes are all zero: enough to compile a model's kernels, and made at once."""
    task = algorithms.get(algorithm)

    def zeros(probes: tuple[Probe, ...], *rows: int) -> dict[str, np.ndarray]:
        return {probe.name: np.zeros((1, *rows, *probe.shape(nodes)), probe.dtype) for probe in probes}

    recorded = zeros(task.hints, 2) if hints else None
    made = Samples(zeros(task.inputs), zeros(task.outputs), np.full(1, 2), recorded)
    description = Description("zeros", algorithm, "zeros", n=nodes, count=1, seed=0)
    return make_batch(Dataset(description, hints=hints, made=made))


def collate(samples: Sequence[Sample]) -> Batch:
    """A batch of samples, which may differ in their numbers of hint rows, for `DataLoader(..., collate_fn=collate)`.

    PyTorch's own generator decides what is random, as in any data loader.

    >>> import narlab
    >>> train = narlab.data.load("l_clrs", "bfs", "train")[:64]
    >>> loader = torch.utils.data.DataLoader(train, batch_size=32, shuffle=True, collate_fn=narlab.models.collate)
    >>> [narlab.models.build("bfs", hidden=8)(batch).outputs["pi"].shape for batch in loader]
    [torch.Size([32, 16, 16]), torch.Size([32, 16, 16])]
    """
    rows = max((len(rows) for sample in samples for rows in sample.hints.values()), default=0)

    def padded(array: np.ndarray) -> np.ndarray:
        return np.pad(array, [(0, rows - len(array))] + [(0, 0)] * (array.ndim - 1))

    first = samples[0]
    hints = {name: np.stack([padded(sample.hints[name]) for sample in samples]) for name in first.hints}
    stacked = Samples(
        {name: np.stack([sample.inputs[name] for sample in samples]) for name in first.inputs},
        {name: np.stack([sample.outputs[name] for sample in samples]) for name in first.outputs},
        np.array([sample.length for sample in samples]),
        hints or None,
    )
    nodes = stacked.inputs["pos"].shape[1]
    description = Description("loader", first.algorithm, "loader", n=nodes, count=len(samples), seed=0)
    seed = int(torch.randint(2**31, ()))
    return make_batch(Dataset(description, hints=bool(hints), made=stacked), seed)


def _tensors(probes: tuple[Probe, ...], arrays: dict[str, np.ndarray]) -> Tensors:
    kinds = {probe.name: np.int64 if probe.type is Type.POINTER else np.float32 for probe in probes}
    return {name: torch.from_numpy(np.array(arrays[name], dtype=kind)) for name, kind in kinds.items()}


def random_features(graphs: int, nodes: int, generator: torch.Generator) -> Tensor:
    """The first 16 columns of Q in the QR decomposition of a Gaussian N x N matrix, zeros where N < 16: [B, N, 16].

    They depend on the first 16 columns of the matrix alone, so no others are drawn.
    """
    width = min(nodes, RANDOM_FEATURES)
    gaussian = torch.randn(graphs, nodes, width, generator=generator)
    orthogonal = torch.linalg.qr(gaussian).Q
    return torch.nn.functional.pad(orthogonal, (0, RANDOM_FEATURES - width))


def random_positions(pos: Tensor, generator: torch.Generator) -> Tensor:
    """For each graph with probability 1/2, N sorted draws of U[0, 1] in the order of `pos` [B, N]; else `pos`."""
    drawn = torch.rand(pos.shape, generator=generator).sort(1).values
    rank = pos.argsort(dim=1, stable=True).argsort(1)
    coin = torch.rand(len(pos), 1, generator=generator) < 0.5
    return torch.where(coin, drawn.gather(1, rank), pos)
