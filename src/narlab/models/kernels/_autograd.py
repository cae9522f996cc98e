"""Compiled code as functions of PyTorch: one skeleton for all kernels, and gradients summed over groups of graphs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from narlab.kernels import threads

Arrays = Sequence[np.ndarray]


class Computation(ABC):
    """What compiled code makes of some arrays, and the way back; an object is for one call."""

    keeps = False  # whether there will be a way back

    @abstractmethod
    def forward(self, *inputs: np.ndarray) -> Arrays:
        """The outputs; with `keeps` it stores what `backward` needs."""

    @abstractmethod
    def backward(self, *gradients: np.ndarray) -> Arrays:
        """The gradients of all inputs, from those of all outputs; changes nothing that was kept."""


def call(computation: Computation, *tensors: Tensor) -> tuple[Tensor, ...]:
    """The outputs of `computation` for `tensors`, with a gradient; to ask for the gradient's gradient is an error."""
    computation.keeps = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)
    return _Compiled.apply(computation, *tensors)


class _Compiled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, computation: Computation, *tensors: Tensor) -> tuple[Tensor, ...]:
        outputs = tuple(map(torch.from_numpy, computation.forward(*map(array, tensors))))
        ctx.computation = computation
        ctx.save_for_backward(*tensors, *outputs)  # the computation works on their memory
        return outputs

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        assert ctx.saved_tensors  # PyTorch raises an error if any was changed since
        return None, *map(torch.from_numpy, ctx.computation.backward(*map(array, gradients)))


def array(tensor: Tensor) -> np.ndarray:
    """The numbers of a tensor, without a copy where they lie in order."""
    return tensor.detach().contiguous().numpy()


def new_states(steps: int, first: np.ndarray, *, kept: bool) -> np.ndarray:
    """An array for all states, or for the last two, with the first one in its place."""
    states = np.empty((steps + 1 if kept else 2, *first.shape), np.float32)
    states[0] = first
    return states


def last_two(states: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """The states before and after the last step."""
    all_kept = len(states) == steps + 1
    before, after = (steps - 1, steps) if all_kept else ((steps - 1) % 2, steps % 2)
    return states[before], states[after]


def in_groups(work: Callable[[int, tuple[int, int]], None], graphs: int) -> None:
    """Call `work` with the number and the bounds of each group of graphs, on as many threads as PyTorch may use."""
    groups = threads.groups_of(graphs)
    threads.run(lambda g: work(g, groups[g]), len(groups), torch.get_num_threads())


class Sums:
    """Gradients of some weights: a share for each group of graphs, and in the end their sum."""

    def __init__(self, weights: Arrays, graphs: int) -> None:
        count = len(threads.groups_of(graphs))
        self.shares = [np.zeros((count, *weight.shape), np.float32) for weight in weights]

    def of_group(self, g: int) -> list[np.ndarray]:
        return [share[g] for share in self.shares]

    def total(self) -> list[np.ndarray]:
        return [share.sum(0) for share in self.shares]


def transposed(*maps: np.ndarray) -> list[np.ndarray]:
    return [np.ascontiguousarray(each.T) for each in maps]
