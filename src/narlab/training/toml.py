"""Settings as TOML: Python reads it, and does not write it."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from narlab.common.errors import UsageError


def read(path: Path) -> dict[str, Any]:
    """What a file says; a `ValueError` that names it if it can't be read."""
    try:
        return tomllib.loads(path.read_text())
    except FileNotFoundError:
        raise UsageError(f"there is no file {str(path)!r}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UsageError(f"{str(path)!r} can't be read as TOML: {error}") from error


def text(comment: str, values: Mapping[str, Any]) -> str:
    """A file with a comment and a line per value.

    >>> print(text("A run.", {"steps": 3, "hint_names": ("pi_h",)}), end="")
    # A run.
    steps = 3
    hint_names = ["pi_h"]
    """
    return "".join([f"# {comment}\n", *(f"{name} = {_value(value)}\n" for name, value in values.items())])


def _value(value: Any) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)  # NumPy's numbers, too, read as numbers
