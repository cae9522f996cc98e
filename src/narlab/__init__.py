"""narlab: a laboratory for neural algorithmic reasoning.

>>> import narlab
>>> narlab.algorithms.get("bfs").sample(8, 2)["A"].shape
(2, 8, 8)
"""

TYPE_CHECKING = False  # as `typing` has it, which takes longer to load than Ctrl-C should wait for `narlab.__main__`
if TYPE_CHECKING:
    from narlab import algorithms, data, evaluation, experiments, interop, models, report, specs, training
    from narlab.common.errors import UsageError
    from narlab.experiments.declaring.results import frame as results
    from narlab.training import Run, load, train
    from narlab.training.pretrained import pretrained

__all__ = [
    "Run",
    "UsageError",
    "algorithms",
    "data",
    "evaluation",
    "experiments",
    "interop",
    "load",
    "models",
    "pretrained",
    "report",
    "results",
    "specs",
    "train",
    "training",
]
__version__ = "0.1.0"

_LAYERS = ("algorithms", "data", "evaluation", "experiments", "interop", "models", "report", "specs", "training")

_HOMES = {layer: f"narlab.{layer}" for layer in _LAYERS} | {
    "Run": "narlab.training:Run",
    "UsageError": "narlab.common.errors:UsageError",
    "load": "narlab.training:load",
    "pretrained": "narlab.training.pretrained:pretrained",
    "results": "narlab.experiments.declaring.results:frame",
    "train": "narlab.training:train",
}


def __getattr__(name: str) -> object:
    """So that `import narlab` stays quick."""
    from narlab.common import lazily

    return lazily(__name__, _HOMES)(name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
