"""Where a model runs."""

import torch


def device_of(name: str) -> torch.device:
    """The device called `name`, if this machine has it."""
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ValueError(f"unknown device {name!r}; known: cpu, cuda, cuda:0, ...") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ValueError("device 'cuda' asked for, but this machine has no usable GPU; leave --device out")
    return device
