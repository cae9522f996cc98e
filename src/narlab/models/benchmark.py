"""How long a training step takes, against the matrix products in it done alone.

The loss here is the mean square of the logits: what a step costs does not hang on it, and losses are another layer's.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from time import perf_counter
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from narlab import data, models
from narlab.models import processors
from narlab.models.batch import Batch

LARGE = 2048  # rows and columns of the product that tells what the machine can do
BACKWARD = 3  # a training step has the products of the forward pass three times: forward, by inputs, by weights


@dataclass(frozen=True)
class StepTime:
    """Seconds of one training step and of its matrix products alone, with the rates that follow."""

    algorithm: str
    processor: str
    graphs: int
    nodes: int
    step: float
    products: float
    flops: float
    machine: float

    @property
    def ratio(self) -> float:
        return self.step / self.products

    @property
    def rate(self) -> float:
        """GFLOP/s of the step's matrix products."""
        return self.flops / self.step / 1e9


def step_times(names: tuple[str, ...], algorithm: str, *, graphs: int, nodes: int, repeats: int) -> Iterator[StepTime]:
    """Measure a training step (forward, backward, Adam) of each processor, best of `repeats`."""
    dataset = data.custom(algorithm, n=nodes, count=graphs, seed=1)
    batch = models.make_batch(dataset)
    machine = 2 * LARGE**3 / _best(_large_product(), repeats) / 1e9
    for name in names:
        model = models.build(algorithm, processor=name)
        recorded = matrix_products(model, batch)
        yield StepTime(
            algorithm,
            name,
            graphs,
            nodes,
            step=_best(_training_step(model, batch), repeats),
            products=BACKWARD * _best(_replay(recorded), repeats),
            flops=BACKWARD * sum(2.0 * prod(left) * right[-1] for left, right in recorded),
            machine=machine,
        )


def all_processors() -> tuple[str, ...]:
    return processors.names()


class _Recorder(TorchDispatchMode):
    """Writes down the shapes of all matrix products."""

    def __init__(self) -> None:
        super().__init__()
        self.shapes: list[tuple[tuple[int, ...], tuple[int, ...]]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        operands = {"mm": (0, 1), "bmm": (0, 1), "addmm": (1, 2), "baddbmm": (1, 2)}.get(func.overloadpacket.__name__)
        if operands:
            left, right = (tuple(args[k].shape) for k in operands)
            self.shapes.append((left, right))
        return func(*args, **(kwargs or {}))


def matrix_products(model: torch.nn.Module, batch: Batch) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The shapes of all matrix products of a forward pass."""
    with _Recorder() as recorder, torch.no_grad():
        model(batch)
    return recorder.shapes


def _replay(shapes: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> Callable[[], None]:
    operands: dict[tuple[int, ...], Tensor] = {shape: torch.randn(shape) for pair in shapes for shape in pair}

    def run() -> None:
        for left, right in shapes:
            torch.matmul(operands[left], operands[right])

    return run


def _training_step(model: torch.nn.Module, batch: Batch) -> Callable[[], None]:
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4)

    def run() -> None:
        optimiser.zero_grad()
        total = torch.stack([logits.square().mean() for logits in model(batch).outputs.values()]).sum()
        total.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()

    return run


def _large_product() -> Callable[[], None]:
    matrix = torch.randn(LARGE, LARGE)

    def run() -> None:
        torch.mm(matrix, matrix)

    return run


def _best(run: Callable[[], None], repeats: int) -> float:
    seconds = []
    for _ in range(repeats + 1):  # the first warms up
        start = perf_counter()
        run()
        seconds.append(perf_counter() - start)
    return min(seconds[1:])
