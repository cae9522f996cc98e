"""narlab: a laboratory for neural algorithmic reasoning."""

from importlib import import_module
from types import ModuleType

__version__ = "0.1.0"

_LAYERS = ("specs", "algorithms", "data")


def __getattr__(name: str) -> ModuleType:
    """Load a layer when it is first used, so that `import narlab` stays quick."""
    if name in _LAYERS:
        return import_module(f"narlab.{name}")
    raise AttributeError(f"module 'narlab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_LAYERS]
