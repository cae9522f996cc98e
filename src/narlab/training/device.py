"""Where and how a model is trained on this machine: nothing of it belongs to the run."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from threadpoolctl import threadpool_limits

from narlab.common.errors import UsageError, check_integer


@dataclass(frozen=True)
class Machine:
    """The device, the number of threads (`None`: as many as PyTorch takes), and whether steps are compiled for it."""

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
