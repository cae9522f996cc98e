"""Training steps in half the bits."""

from collections.abc import Callable

import torch

from narlab.common.errors import UsageError
from narlab.models import Batch, Network, Prediction
from narlab.models.batch import Tensors


def check_bfloat16(device: torch.device) -> None:
    """Raise a `ValueError` if the device can't do it."""
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
