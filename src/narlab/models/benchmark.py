"""How long a training step takes, against the matrix products in it done alone.

The loss here is the mean square of the logits: what a step costs does not hang on it, and losses are another layer's.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import prod
from multiprocessing import get_context
from time import perf_counter
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from narlab import data, models
from narlab.models import processors
from narlab.models.batch import Batch
from narlab.models.memory import keep_freed_memory

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
    """Measure a training step of each processor, best of `repeats`; each in a process of its own, with fresh memory."""
    for name in names:
        models.check(models.settings_of(algorithm, processor=name))
    alone = get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=alone, max_tasks_per_child=1) as processes:
        yield from processes.map(partial(step_time, algorithm, graphs=graphs, nodes=nodes, repeats=repeats), names)


def step_time(algorithm: str, name: str, *, graphs: int, nodes: int, repeats: int) -> StepTime:
    """A training step (forward, backward, clipping, Adam) and its matrix products alone, in this process."""
    keep_freed_memory()
    batch = models.make_batch(data.custom(algorithm, n=nodes, count=graphs, seed=1))
    model = models.build(algorithm, processor=name)
    recorded = matrix_products(model, batch)
    return StepTime(
        algorithm,
        name,
        graphs,
        nodes,
        step=_best(_training_step(model, batch), repeats),
        products=BACKWARD * _best(_replay(recorded), repeats),
        flops=BACKWARD * sum(2.0 * prod(left) * right[-1] for left, right in recorded),
        machine=2 * LARGE**3 / _best(_large_product(), repeats) / 1e9,
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
