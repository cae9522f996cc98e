"""Markovian: encoded and decoded hints, and no state that is carried from step to step."""

from narlab.models.hint_modes import HintMode

HINT_MODE = HintMode(encoded=True, decoded=True, carries_state=False)
