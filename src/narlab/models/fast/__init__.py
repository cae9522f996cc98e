"""Compiled kernels in place of PyTorch's operations: the processors' steps on a CPU, with their gradients.

A twin does what its processor does, with the same weights, several times faster: it has `prepare` and `steps`. What has
no twin, or is not on a CPU in single precision, goes the plain way.
"""

import warnings
from functools import cache
from typing import Any, Protocol

import torch
from torch import nn

from narlab.models.encoders import Features
from narlab.models.hybrid import Hybrid
from narlab.models.message_passing import MessagePassing
from narlab.models.pair_attention import PairAttention
from narlab.models.processor import AbstractProcessor
from narlab.models.state import State
from narlab.models.topology import Topology


class Twin(Protocol):
    """See `AbstractProcessor`."""

    def prepare(self, features: Features, topology: Topology) -> Any: ...

    def steps(self, state: State, prepared: Any, count: int) -> tuple[State, State]: ...


def twin(processor: AbstractProcessor) -> Twin | None:
    """The processor's twin, if it has one that can run where its weights are."""
    return _twin(processor) if runs_on(processor) else None


def runs_on(module: nn.Module) -> bool:
    """Whether kernels can work with the weights of `module`."""
    some = next(module.parameters())
    return some.device.type == "cpu" and some.dtype == torch.float32 and available()


def _twin(processor: AbstractProcessor) -> Twin | None:
    from narlab.models.fast.hybrid import FastHybrid
    from narlab.models.fast.message_passing import FastMessagePassing
    from narlab.models.fast.pair_attention import FastPairAttention
    from narlab.models.fast.stepwise_hybrid import StepwiseHybrid

    if isinstance(processor, MessagePassing):
        return FastMessagePassing(processor)
    if isinstance(processor, PairAttention) and not processor.strangers_are_tokens:
        return FastPairAttention(processor)
    if isinstance(processor, Hybrid):
        first, second = _twin(processor.first), _twin(processor.second)
        if isinstance(first, FastMessagePassing) and isinstance(second, FastPairAttention):
            return FastHybrid(processor, first, second)
        if first is not None and second is not None:
            return StepwiseHybrid(processor, first, second)
    return None


@cache
def available() -> bool:
    """Whether kernels run on this machine; says so once if they don't."""
    try:
        from narlab.kernels import threads

        threads.check()
    except Exception as error:  # whatever it is, plain PyTorch does the same, only slower
        warnings.warn(
            f"compiled kernels can't run here ({error}); plain PyTorch is used, which is slower", stacklevel=2
        )
        return False
    return True
