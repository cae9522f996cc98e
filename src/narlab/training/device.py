"""Where and how a model is trained on this machine: device, threads, steps in half the bits, compiled steps."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from threadpoolctl import threadpool_limits

from narlab.common.errors import UsageError, check_integer
from narlab.models import Batch, Network, Prediction
from narlab.models.batch import Tensors
from narlab.models.state import State


@dataclass(frozen=True)
class Machine:
    """The device, the number of threads (`None`: as many as PyTorch takes), and whether steps are compiled for it.

    Nothing of it belongs to the run.
    """

    device: torch.device
    threads: int | None = None
    compiles: bool = False

    @classmethod
    def of(cls, device: str, threads: int | None = None, *, compiles: bool = False) -> "Machine":
        """The machine with the device called `device`; a `ValueError` if it is not there."""
        if threads is not None:
            check_integer("threads", threads, 1)
        return cls(device_of(device), threads, compiles)

    @contextmanager
    def limited(self) -> Iterator[None]:
        """While this lasts, PyTorch and the BLAS of NumPy and SciPy use no more threads than allowed."""
        if self.threads is None:
            yield
            return
        before = torch.get_num_threads()
        torch.set_num_threads(self.threads)
        try:
            with threadpool_limits(self.threads, user_api="blas"):
                yield
        finally:
            torch.set_num_threads(before)


def device_of(name: str) -> torch.device:
    """The device called `name`, if this machine has it."""
    try:
        device = torch.device(name)
    except RuntimeError:
        raise UsageError(f"unknown device {name!r}; known: cpu, cuda, cuda:0, ...") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise UsageError("device 'cuda' asked for, but this machine has no usable GPU; leave --device out")
    return device


def check_bfloat16(device: torch.device) -> None:
    """Raise a `ValueError` if the device can't multiply in half the bits."""
    if device.type == "cuda" and not torch.cuda.is_bf16_supported():
        raise UsageError(f"{torch.cuda.get_device_name(device)} does not know bfloat16; leave --bfloat16 out")


def predict_in_bfloat16(
    model: Network, batch: Batch, predict: Callable[[Network, Batch], Prediction] = Network.__call__
) -> Prediction:
    """What the model says with its matrix products in bfloat16; logits are in single precision again, for the loss."""
    before, model.uses_kernels = model.uses_kernels, False  # they know single precision only
    try:
        with torch.autocast(batch.random_features.device.type, torch.bfloat16):
            said = predict(model, batch)
    finally:
        model.uses_kernels = before
    return Prediction(_in_single(said.outputs), _in_single(said.hints), said.penalty.float())


def _in_single(logits: Tensors) -> Tensors:
    return {name: values.float() for name, values in logits.items()}


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
