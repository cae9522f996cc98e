"""Compiled kernels in place of PyTorch's operations: the processors' steps on a CPU, with their gradients.

`narlab.kernels` is the compiled code, which knows nothing of PyTorch; here are the functions of PyTorch made of it. A
kernel does what its processor does, with the same weights, several times faster. What has none, or is not on a CPU in
single precision, goes the plain way.

A processor class declares its kernel: `kernel = MessagePassingKernel`. The kernel does what that very class says, so it
is used only where nothing has been changed since. A subclass that only states facts, such as `pairs`, keeps it. One
with a method or a setting of its own goes the plain way unless it declares a kernel itself, and so do objects whose
layers or methods were exchanged, and layers with hooks.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch
from threadpoolctl import ThreadpoolController
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from narlab.common.machine import share_out
from narlab.kernels.matrices import in_panels

if TYPE_CHECKING:
    from narlab.models.encoders import Features
    from narlab.models.processors import AbstractProcessor
    from narlab.models.topology import State, Topology

__all__ = [
    "AbstractKernel",
    "Arrays",
    "Computation",
    "Sums",
    "TrajectoryKernel",
    "all_threads",
    "array",
    "available",
    "call",
    "can_run",
    "in_groups",
    "is_as_made",
    "is_plain",
    "kernel_as_declared",
    "kernel_of",
    "last_states",
    "last_two",
    "new_states",
    "transposed",
]

Arrays = Sequence[np.ndarray]
FACTS = {
    "pairs",
    "memory",
    "default_width",
    "batch_size",
    "has_pair_state",
}  # a subclass may say them anew: no step depends on them
EVERY_CLASS = {  # has these, whatever it says
    *("__module__", "__doc__", "__dict__", "__weakref__", "__parameters__", "__abstractmethods__", "_abc_impl"),
    *("__annotations__", "__annotate_func__", "__annotations_cache__", "__firstlineno__", "__static_attributes__"),
}
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
GROUPS = 16  # a batch is cut into as many groups; more share the work better, fewer have less to add up
EPSILON = 1e-5  # of the layer normalisation in all kernels


class AbstractKernel(ABC):
    """All steps of a processor in compiled code, with the processor's own weights; made by `of`."""

    layers: ClassVar[Mapping[str, type[nn.Module]]]
    """The layers that the kernel computes itself, by name; those of a hybrid's parts are their kernels'."""
    without_bias: ClassVar[tuple[str, ...]] = ()
    """Those of them that are linear and have no bias."""
    takes_all_threads: ClassVar[bool] = False
    """Whether so little of a pass without hints is left to PyTorch that `all_threads` makes a training step faster."""

    def __init__(self, processor: Any) -> None:
        self.processor = processor

    @classmethod
    def of(cls, processor: Any) -> AbstractKernel | None:
        """The kernel of a processor, `None` if it can't do what the processor does."""
        return cls(processor) if cls.knows_layers_of(processor) else None

    @classmethod
    def knows_layers_of(cls, processor: nn.Module) -> bool:
        own = {name: layer for name, layer in processor.named_modules() if name and not _is_of_part(processor, name)}
        if {name: type(layer) for name, layer in own.items()} != cls.layers:
            return False
        return all(is_plain(layer, has_bias=name not in cls.without_bias) for name, layer in own.items())

    @abstractmethod
    def prepare(self, features: Features, topology: Topology) -> Any:
        """See `AbstractProcessor.prepare`."""

    @abstractmethod
    def steps(self, state: State, prepared: Any, count: int) -> tuple[State, State]:
        """See `AbstractProcessor.steps`."""


class TrajectoryKernel(AbstractKernel):
    """A kernel of node states that gives those of all steps, each of which may have features and edges of its own."""

    @abstractmethod
    def trajectory(self, state: State, prepared: Any, count: int, wanted: int) -> Tensor:
        """The last `wanted` of the states that begin with `state` and go on for `count` steps, [K, B, N, H].

        Arguments:
            prepared: of the B graphs, or of `count` times B: first those that the first step sees, and so on.
        """

    def steps(self, state: State, prepared: Any, count: int) -> tuple[State, State]:
        before, after = self.trajectory(state, prepared, count, 2)
        return state if count == 1 else replace(state, h=before), replace(state, h=after)


def kernel_as_declared(processor: AbstractProcessor) -> AbstractKernel | None:
    """The kernel that the processor's class declares, if it was written for just this processor."""
    ancestry = type(processor).__mro__
    declaring = next(k for k, ancestor in enumerate(ancestry) if "kernel" in vars(ancestor))
    kernel = vars(ancestry[declaring])["kernel"]
    if kernel is None or not all(map(_states_only_facts, ancestry[:declaring])) or _has_own_methods(processor):
        return None
    return kernel.of(processor)


def _states_only_facts(subclass: type) -> bool:
    return set(vars(subclass)) <= FACTS | EVERY_CLASS


def _has_own_methods(processor: nn.Module) -> bool:
    return any(callable(getattr(type(processor), name, None)) for name in vars(processor))


def is_as_made(module: nn.Module) -> bool:
    """Whether calling the module is what its class says: none of its methods was exchanged, and it has no hooks."""
    return is_plain(module) and not _has_own_methods(module)


def _is_of_part(processor: nn.Module, name: str) -> bool:
    """Whether a layer is, or lies in, another processor inside: those have kernels of their own."""
    part = getattr(processor, name.partition(".")[0])
    return hasattr(type(part), "kernel")


def is_plain(layer: nn.Module, *, has_bias: bool = True) -> bool:
    """Whether calling the layer is no more than its formula, as the kernels have it."""
    if any(getattr(layer, hooks) for hooks in HOOKS):
        return False
    if isinstance(layer, nn.LayerNorm):
        return layer.eps == EPSILON and layer.weight is not None and layer.bias is not None
    return not isinstance(layer, nn.Linear) or (layer.bias is not None) == has_bias


def kernel_of(processor: AbstractProcessor) -> AbstractKernel | None:
    """The processor's kernel, if it has one that can run where its weights are."""
    return kernel_as_declared(processor) if can_run(processor) else None


def can_run(module: nn.Module) -> bool:
    """Whether kernels can work with the weights of `module`."""
    weights = module.parameters()
    return all(weight.device.type == "cpu" and weight.dtype == torch.float32 for weight in weights) and available()


@cache
def available() -> bool:
    """Whether kernels run on this machine; says so once if they don't."""
    try:
        in_panels(np.eye(2, dtype=np.float32))  # a small function is compiled and tried
    except Exception as error:  # whatever it is, plain PyTorch does the same, only slower
        warnings.warn(
            f"compiled kernels can't run here ({error}); plain PyTorch is used, which is slower", stacklevel=2
        )
        return False
    return True


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


def last_states(states: np.ndarray, steps: int, wanted: int) -> np.ndarray:
    """So many of the last states, in their order."""
    return states[np.arange(steps + 1 - wanted, steps + 1) % len(states)]


def groups_of(graphs: int) -> list[tuple[int, int]]:
    """Graphs in at most `GROUPS` groups, the same with any number of threads: so are the sums over them."""
    size = max(1, -(-graphs // GROUPS))
    return [(first, min(first + size, graphs)) for first in range(0, graphs, size)]


_threads: ContextVar[int] = ContextVar("threads")  # those of the kernels, where PyTorch has one


@contextmanager
def all_threads() -> Iterator[None]:
    """While this lasts, kernels have all threads that PyTorch may use, and PyTorch's own operations one.

    After an operation PyTorch's threads spin for milliseconds, on cores that a kernel's threads want by then. And where
    another program has one of the cores, its operations wait for each other tens of milliseconds each.
    """
    threads = torch.get_num_threads()
    if threads == 1:  # or this lasts already
        yield
        return
    before = _threads.set(threads)
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        _threads.reset(before)


def in_groups(work: Callable[[int, tuple[int, int]], None], graphs: int, *, uses_blas: bool = True) -> None:
    """Call `work` with the number and the bounds of each group of graphs, on the threads that kernels have.

    BLAS, where `work` uses it, is kept at one thread meanwhile: products are small, graphs are many.
    """
    groups = groups_of(graphs)
    with _blas().limit(limits=1) if uses_blas else nullcontext():
        share_out(lambda g: work(g, groups[g]), len(groups), _threads.get(torch.get_num_threads()))


@cache
def _blas() -> ThreadpoolController:
    import scipy.linalg.cython_blas  # noqa: F401 (numba's np.dot calls it; it has to be there to be told of threads)

    return ThreadpoolController().select(user_api="blas")


class Sums:
    """Gradients of some weights: a share for each group of graphs, and in the end their sum."""

    def __init__(self, weights: Arrays, graphs: int) -> None:
        count = len(groups_of(graphs))
        self.shares = [np.zeros((count, *weight.shape), np.float32) for weight in weights]

    def of_group(self, g: int) -> list[np.ndarray]:
        return [share[g] for share in self.shares]

    def total(self) -> list[np.ndarray]:
        return [share.sum(0) for share in self.shares]


def transposed(*maps: np.ndarray) -> list[np.ndarray]:
    return [np.ascontiguousarray(each.T) for each in maps]
