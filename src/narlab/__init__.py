"""narlab: a laboratory for neural algorithmic reasoning.

>>> import narlab
>>> narlab.algorithms.get("bfs").sample(8, 2)["A"].shape
(2, 8, 8)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from narlab import algorithms, data, evaluation, experiments, models, report, specs, training
    from narlab.common.errors import UsageError
    from narlab.experiments.declaring.results import frame as results
    from narlab.training import Run, load, train

__all__ = [
    "Run",
    "UsageError",
    "algorithms",
    "data",
    "evaluation",
    "experiments",
    "load",
    "models",
    "report",
    "results",
    "specs",
    "train",
    "training",
]
__version__ = "0.1.0"

_SHORTCUTS = {
    "Run": ("training", "Run"),
    "UsageError": ("common.errors", "UsageError"),
    "load": ("training", "load"),
    "results": ("experiments.declaring.results", "frame"),
    "train": ("training", "train"),
}


def __getattr__(name: str) -> Any:
    """Load a layer when it is first used, so that `import narlab` stays quick."""
    if name in _SHORTCUTS:
        module, attribute = _SHORTCUTS[name]
        return getattr(import_module(f"narlab.{module}"), attribute)
    if name in __all__:
        return import_module(f"narlab.{name}")
    raise AttributeError(f"module 'narlab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
