"""Steps of a processor compiled by PyTorch, for GPUs."""

from typing import Any

import torch

from narlab.common.errors import UsageError
from narlab.models import Network
from narlab.models.state import State


def compile_steps(model: Network, backend: str = "inductor") -> None:
    """Have `torch.compile` make the processor's step, which the kernels for CPUs would leave unused."""
    from torch._dynamo.exc import BackendCompilerFailed  # here, because it takes long to load

    compiled = torch.compile(model.processor.step, backend=backend)

    def step(state: State, prepared: Any) -> State:
        try:
            return compiled(state, prepared)
        except BackendCompilerFailed as error:
            cause = error.inner_exception
            why = f"{type(cause).__name__}: {cause}".splitlines()[0]
            raise UsageError(f"PyTorch can't compile on this machine: {why}; leave --compile out") from error

    model.processor.step = step  # type: ignore[method-assign]
    model.uses_kernels = False
