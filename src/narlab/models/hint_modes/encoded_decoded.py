"""Encoded and decoded hints, the benchmark's own way (https://arxiv.org/abs/2205.15659)."""

from narlab.models.hint_modes import HintMode

HINT_MODE = HintMode(encoded=True, decoded=True)
