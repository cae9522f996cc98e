"""What the fast functions share: arrays of tensors, and gradients summed over groups of graphs."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from narlab.kernels import threads


def array(tensor: Tensor) -> np.ndarray:
    """The numbers of a tensor, without a copy where they lie in order."""
    return tensor.detach().contiguous().numpy()


def arrays(kind: Any, tensors: Sequence[Tensor]) -> Any:
    """Tensors as one of the kernels' tuples of arrays."""
    return kind(*map(array, tensors))


def keeps(*tensors: Tensor) -> bool:
    """Whether there will be a way back."""
    return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)


def states(steps: int, first: Tensor, *, kept: bool) -> np.ndarray:
    """Room for all states, or for the last two, with the first one in its place."""
    room = np.empty((steps + 1 if kept else 2, *first.shape), np.float32)
    room[0] = array(first)
    return room


def last_two(room: np.ndarray, steps: int) -> tuple[Tensor, Tensor]:
    """The states before and after the last step."""
    all_kept = len(room) == steps + 1
    before, after = (steps - 1, steps) if all_kept else ((steps - 1) % 2, steps % 2)
    return torch.from_numpy(room[before]), torch.from_numpy(room[after])


def in_groups(work: Callable[[int, tuple[int, int]], None], graphs: int) -> None:
    """Call `work` with the number and the bounds of each group of graphs, on as many threads as PyTorch may use."""
    groups = threads.groups_of(graphs)
    threads.run(lambda g: work(g, groups[g]), len(groups), torch.get_num_threads())


class Sums:
    """Gradients of some weights: a share for each group of graphs, and in the end their sum."""

    def __init__(self, weights: Sequence[np.ndarray], graphs: int) -> None:
        count = len(threads.groups_of(graphs))
        self.shares = [np.zeros((count, *weight.shape), np.float32) for weight in weights]

    def of_group(self, g: int) -> list[np.ndarray]:
        return [share[g] for share in self.shares]

    def total(self) -> list[np.ndarray]:
        return [share.sum(0) for share in self.shares]


def transposed(*maps: np.ndarray) -> list[np.ndarray]:
    return [np.ascontiguousarray(each.T) for each in maps]
