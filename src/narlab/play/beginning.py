"""What the page begins with: from the names and files that a user gives."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from narlab import algorithms
from narlab.common.errors import UsageError, unknown
from narlab.evaluation.user_instances import as_dataset, read_inputs
from narlab.play.playground import MOST_MODELS, Start
from narlab.training import pretrained
from narlab.training.folder import Folder

FIRST = "dfs"


def find_starts(names: Sequence[str]) -> tuple[list[str], list[Start]]:
    """The models that `names` stand for, and a start for each algorithm among them, in their order.

    An algorithm that is named itself starts with the model that comes with narlab, if there is one.

    >>> find_starts(["quicksort@triangle", "heapsort"])[1]
    [Start(algorithm='quicksort', models=('quicksort@triangle',), n=16, seed=0, graphs=None, inputs=None), \
Start(algorithm='heapsort', models=(), n=16, seed=0, graphs=None, inputs=None)]
    """
    models: dict[str, list[str]] = {}
    for name in names or (FIRST,):
        if name in algorithms.names() and not Folder(name).is_run():
            models.setdefault(name, [])
        else:
            models.setdefault(_algorithm_of(name), []).append(name)
    for algorithm, chosen in models.items():
        if len(chosen) > MOST_MODELS:
            raise UsageError(f"at most {MOST_MODELS} models stand side by side, got {', '.join(chosen)}")
        shipped = f"{algorithm}@{pretrained.DEFAULT}"
        if not chosen and shipped in pretrained.names():
            chosen.append(shipped)
    starts = [Start(algorithm, tuple(chosen)) for algorithm, chosen in models.items()]
    return [name for chosen in models.values() for name in chosen], starts


def _algorithm_of(name: str) -> str:
    """The algorithm of a model."""
    folder = Folder(pretrained.run_folder(name))
    if not folder.is_run():
        if folder.path.exists():
            raise UsageError(f"{name!r} holds no run: there is no run.toml in it")
        raise unknown("run folder, model or algorithm", name, (*pretrained.names(), *algorithms.names()))
    return folder.run().algorithm


def instances_in(path: Path, algorithm: str) -> list[dict[str, Any]]:
    """The inputs of each instance in a file, one by one."""
    inputs = as_dataset(algorithms.get(algorithm), read_inputs(path)).inputs
    return [{name: array[k : k + 1].tolist() for name, array in inputs.items()} for k in range(len(inputs["pos"]))]
