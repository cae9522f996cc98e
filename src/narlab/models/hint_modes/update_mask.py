"""Update mask: a gate is taught which nodes' hints change, and lets only those nodes change their state."""

from narlab.models.hint_modes import HintMode

HINT_MODE = HintMode(masks_updates=True)
