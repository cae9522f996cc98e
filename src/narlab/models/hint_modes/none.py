"""No hints: the model sees inputs and outputs only, and makes a fixed number of steps."""

from narlab.models.hint_modes import HintMode

HINT_MODE = HintMode()
