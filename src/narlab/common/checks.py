"""Checks of plain numbers that come from outside."""

from numbers import Integral

from narlab.common.errors import UsageError


def check_integer(name: str, value: object, least: int) -> int:
    """An integer that is at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise UsageError(f"{name} must be an integer of at least {least}, got {value!r}")
    return int(value)


def check_count(count: object) -> int:
    """A number of samples."""
    return check_integer("count", count, 0)


def check_seed(seed: object) -> int:
    """A seed, which has 32 bits."""
    seed = check_integer("seed", seed, 0)
    if seed >= 2**32:
        raise UsageError(f"seed must be below 2**32, got {seed}")
    return seed
