"""narlab: a laboratory for neural algorithmic reasoning."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_LAYERS = ("specs", "algorithms", "data", "models", "evaluation", "training", "experiments", "report")
_SHORTCUTS = {
    "Run": ("training", "Run"),
    "load": ("training", "load"),
    "results": ("experiments.declaring.results", "frame"),
    "train": ("training", "train"),
}


def __getattr__(name: str) -> Any:
    """Load a layer when it is first used, so that `import narlab` stays quick."""
    if name in _LAYERS:
        return import_module(f"narlab.{name}")
    if name in _SHORTCUTS:
        module, attribute = _SHORTCUTS[name]
        return getattr(import_module(f"narlab.{module}"), attribute)
    raise AttributeError(f"module 'narlab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_LAYERS, *_SHORTCUTS]
