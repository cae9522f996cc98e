"""Compiled kernels in place of PyTorch's operations: the processors' steps on a CPU, with their gradients.

`narlab.kernels` is the compiled code, which knows nothing of PyTorch; here are the functions of PyTorch made of it. A
kernel does what its processor does, with the same weights, several times faster. What has none, or is not on a CPU in
single precision, goes the plain way.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import TYPE_CHECKING

import torch
from torch import nn

from narlab.models.kernels._kernel import AbstractKernel, is_plain, kernel_as_declared

if TYPE_CHECKING:
    from narlab.models.processors import AbstractProcessor

__all__ = ["AbstractKernel", "available", "can_run", "is_plain", "kernel_as_declared", "kernel_of"]


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
        from narlab.kernels import threads

        threads.check()
    except Exception as error:  # whatever it is, plain PyTorch does the same, only slower
        warnings.warn(
            f"compiled kernels can't run here ({error}); plain PyTorch is used, which is slower", stacklevel=2
        )
        return False
    return True
