"""Loops that run as often as graphs have nodes: plain Python, but a loop of the program where PyTorch exports a model.

An exported program holds what happened once; a Python loop in it would run as often as in the example that it was
exported with. Whoever writes a processor that should be exported for graphs of any size loops over nodes with these.
"""

from collections.abc import Callable

import torch
from torch import Tensor

__all__ = ["each", "fold", "is_exporting"]


def is_exporting() -> bool:
    """Whether PyTorch is just exporting a model; versions before 2.7 don't tell, and export none of ours."""
    return getattr(torch.compiler, "is_exporting", bool)()


def fold(step: Callable[..., tuple[Tensor, ...]], state: tuple[Tensor, ...], *sequences: Tensor) -> tuple[Tensor, ...]:
    """The last state of `state = step(*state, *items)`, where items run along the first axis of the sequences.

    >>> fold(lambda total, item: (total + item,), (torch.zeros(()),), torch.arange(4.0))
    (tensor(6.),)
    """
    if not is_exporting():
        for items in zip(*(sequence.unbind(0) for sequence in sequences), strict=True):
            state = step(*state, *items)
        return state
    from torch._higher_order_ops.scan import scan  # has no public name yet

    def next_state(state: tuple[Tensor, ...], items: tuple[Tensor, ...]) -> tuple[tuple[Tensor, ...], Tensor]:
        return _of_their_own(step(*state, *items)), state[0].new_zeros(())  # something must come out of each round

    last, _ = scan(next_state, _of_their_own(state), sequences)
    return last


def _of_their_own(state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """The same numbers in memory of their own, in plain order, which what goes through an exported loop must keep."""
    return tuple(part.clone(memory_format=torch.contiguous_format) for part in state)


def each(make: Callable[..., Tensor], *sequences: Tensor, shared: tuple[Tensor, ...] = (), axis: int = 1) -> Tensor:
    """What `make(*items, *shared)` says to the items along an axis of the sequences, along that axis.

    Tensors that every round needs go into `shared` if they are views of the same memory.

    >>> each(lambda row: row.flip(0), torch.arange(6).view(1, 2, 3)[0], axis=0)
    tensor([[2, 1, 0],
            [5, 4, 3]])
    """
    if not is_exporting():
        rows = zip(*(sequence.unbind(axis) for sequence in sequences), strict=True)
        return torch.stack([make(*items, *shared) for items in rows], axis)
    from torch._higher_order_ops.scan import scan

    own = _of_their_own(shared)

    def next_row(count: Tensor, items: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
        return count + 1, make(*items, *own)  # scan wants a state

    _, made = scan(next_row, torch.zeros(()), tuple(sequence.movedim(axis, 0) for sequence in sequences))
    return made.movedim(0, axis)
