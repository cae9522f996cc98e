"""Watching over losses and gradients: a number that is not finite ends a run."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

LOSS, NORM = "loss", "gradient's norm"
AT_ONCE = ("cpu",)  # devices on which looking at a number costs nothing
BETWEEN_LOOKS = 100  # steps, elsewhere: to look is to wait until the device has done all that it was given


class Unseen(NamedTuple):
    """A number that is on the device still."""

    name: str
    step: int
    value: Tensor


class Seen(NamedTuple):
    """A number of a step."""

    name: str
    step: int
    value: float


class FiniteCheck:
    """Takes the numbers of each step, and looks at them at once on a CPU, elsewhere now and then.

    `total` is the sum of all losses looked at since it was last set to 0, `last` the last one.
    """

    def __init__(self, device: torch.device) -> None:
        self.total, self.last = 0.0, 0.0
        self._at_once = device.type in AT_ONCE
        self._unseen: list[Unseen] = []

    def note(self, name: str, step: int, value: Tensor) -> Seen | None:
        """Take a number, and say which one is not finite among those that are looked at now."""
        self._unseen.append(Unseen(name, step, value.detach()))
        is_due = self._at_once or (name == NORM and step - self._unseen[0].step >= BETWEEN_LOOKS - 1)
        return self.look() if is_due else None

    def look(self) -> Seen | None:
        """Look at all numbers that are left, in one go; the first that is not finite."""
        if not self._unseen:
            return None
        values = torch.stack([each.value for each in self._unseen]).tolist()
        found = [Seen(each.name, each.step, value) for each, value in zip(self._unseen, values, strict=True)]
        self._unseen.clear()
        for each in found:
            if not math.isfinite(each.value):
                return each
            if each.name == LOSS:
                self.total, self.last = self.total + each.value, each.value
        return None
