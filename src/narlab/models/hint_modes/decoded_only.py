"""Decoded hints only: they are predicted for the loss, and never fed."""

from narlab.models.hint_modes import HintMode

HINT_MODE = HintMode(decoded=True)
