"""What a processor's kernel is, and when it may stand for the processor's own steps.

A processor class declares its kernel: `kernel = MessagePassingKernel`. The kernel does what that very class says, so it
is used only where nothing has been changed since. A subclass that only states facts, such as `pairs`, keeps it. One
with a method or a setting of its own goes the plain way unless it declares a kernel itself, and so do objects whose
layers or methods were exchanged, and layers with hooks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from torch import nn

if TYPE_CHECKING:
    from narlab.models.encoders import Features
    from narlab.models.processors._processor import AbstractProcessor
    from narlab.models.state import State
    from narlab.models.topology import Topology

FACTS = {"pairs", "memory", "default_width", "batch_size"}  # a subclass may say them anew: no step depends on them
EVERY_CLASS = {  # has these, whatever it says
    *("__module__", "__doc__", "__dict__", "__weakref__", "__parameters__", "__abstractmethods__", "_abc_impl"),
    *("__annotations__", "__annotate_func__", "__annotations_cache__", "__firstlineno__", "__static_attributes__"),
}
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
EPSILON = 1e-5  # of the layer normalisation in all kernels


class AbstractKernel(ABC):
    """All steps of a processor in compiled code, with the processor's own weights; made by `of`."""

    layers: ClassVar[Mapping[str, type[nn.Module]]]
    """The layers that the kernel computes itself, by name; those of a hybrid's parts are their kernels'."""

    def __init__(self, processor: Any) -> None:
        self.processor = processor

    @classmethod
    def of(cls, processor: Any) -> AbstractKernel | None:
        """The kernel of a processor, `None` if it can't do what the processor does."""
        return cls(processor) if cls.knows_layers_of(processor) else None

    @classmethod
    def knows_layers_of(cls, processor: nn.Module) -> bool:
        own = {name: layer for name, layer in processor.named_modules() if name and not _is_of_part(processor, name)}
        return {name: type(layer) for name, layer in own.items()} == cls.layers and all(map(is_plain, own.values()))

    @abstractmethod
    def prepare(self, features: Features, topology: Topology) -> Any:
        """See `AbstractProcessor.prepare`."""

    @abstractmethod
    def steps(self, state: State, prepared: Any, count: int) -> tuple[State, State]:
        """See `AbstractProcessor.steps`."""


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


def _is_of_part(processor: nn.Module, name: str) -> bool:
    """Whether a layer is, or lies in, another processor inside: those have kernels of their own."""
    part = getattr(processor, name.partition(".")[0])
    return hasattr(type(part), "kernel")


def is_plain(layer: nn.Module) -> bool:
    """Whether calling the layer is no more than its formula, as the kernels have it."""
    if any(getattr(layer, hooks) for hooks in HOOKS):
        return False
    if isinstance(layer, nn.LayerNorm):
        return layer.eps == EPSILON and layer.weight is not None and layer.bias is not None
    return not isinstance(layer, nn.Linear) or layer.bias is not None
