"""What this machine offers, on every operating system."""

import os


def cores() -> int:
    """How many cores this process may use; where the system does not say, how many there are."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1
