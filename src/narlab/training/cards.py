"""Cards of the models that come with the package: where the weights are from, and what they are worth at which size.

A card is `card.json` in the model's folder. All of it follows from the folder's other files, and the scores from the
weights: `scripts/write_cards.py` makes it, and a test makes its scores again.
"""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from narlab.common.errors import UsageError
from narlab.common.files import write_whole
from narlab.data import Dataset
from narlab.evaluation.data_request import DataRequest
from narlab.evaluation.judgement import judge
from narlab.evaluation.measurement import from_json, json_bytes, measure_answers, metrics_for
from narlab.evaluation.prediction import answer
from narlab.models import Network
from narlab.training import pretrained
from narlab.training.folder import Folder
from narlab.training.identity import differences
from narlab.training.loop import load
from narlab.training.run import ResolvedRun

FILE = "card.json"
COUNTS = {16: 100, 32: 100, 64: 32, 128: 8, 256: 4}
"""How many graphs of each size: the work for one grows with the fourth power of its size."""
FAMILIES = ("regular:k=4", "tree", "ws:k=4,p=0.1")
"""Beside a graph algorithm's own distribution; none of them was trained on."""
LARGEST_OF_FAMILIES = 128
FAILING = 0.95
"""A share of valid answers below which a card speaks of a failure."""
ORIGIN = ("narlab", "python", "torch", "numba", "numpy", "cpu", "device", "began")
Case = tuple[int, str | None]  # a size and a graph family; None: the algorithm's own distribution


def read(name: str) -> dict[str, Any]:
    """The card of the model called `name`.

    >>> card = read("quicksort@triangle")
    >>> card["command"]
    'narlab train quicksort --recipe ladder --seed 42'
    """
    path = pretrained.folder(name) / FILE
    if not path.is_file():
        raise UsageError(f"{name} has no card: {str(path)!r} is not there")
    return from_json(path.read_bytes())


def write(
    name: str, *, sizes: tuple[int, ...] = tuple(COUNTS), done: Callable[[dict[str, Any]], None] = lambda row: None
) -> Path:
    """Write the card of the model called `name`; scores that it has already, of the same weights, stay.

    The file is written after every measurement, so that a broken-off work goes on. `done` is told of each.
    """
    folder = Folder(pretrained.folder(name))
    path = folder.path / FILE
    origin = _origin(folder)
    kept = from_json(path.read_bytes()) if path.is_file() else {}
    rows = kept.get("scores", []) if kept.get("checksum") == origin["checksum"] else []
    model = load(folder.path)
    measured = {(row["n"], row["graphs"]) for row in rows}
    write_whole(path, json_bytes(_with_scores(origin, rows)))
    for case in cases(folder):
        if case[0] in sizes and case not in measured:
            rows.append(measure_case(model, folder, case))
            write_whole(path, json_bytes(_with_scores(origin, rows)))
            done(rows[-1])
    return path


def cases(folder: Folder) -> Iterator[Case]:
    """What a model is measured on, small graphs first; a size that makes no difference is left out."""
    own, has_graph = folder.run().split("test"), load(folder.path).algorithm.has_graph
    seen = set()
    for n in COUNTS:
        nodes = _dataset(own, (n, None))[:1].inputs["pos"].shape[1]
        if nodes not in seen:
            seen.add(nodes)
            yield n, None
            yield from ((n, family) for family in FAMILIES if has_graph and n <= LARGEST_OF_FAMILIES)


def measure_case(model: Network, folder: Folder, case: Case) -> dict[str, Any]:
    """A model's scores with their intervals, as `narlab evaluate` gives them, and what an invalid answer is like."""
    dataset = _dataset(folder.run().split("test"), case)
    instances, predicted = answer(model, dataset)
    metrics = metrics_for(model.algorithm, dataset, None)
    row = measure_answers(dataset, instances, predicted, metrics=metrics).row()
    judgement = judge(model.algorithm, dataset, predicted)
    wrong = [] if judgement.valid is None else np.flatnonzero(~judgement.valid).tolist()
    if wrong:
        row["such_as"] = f"instance {wrong[0]}: {judgement.defects(wrong[0])[0].text}"
    return {name: value for name, value in row.items() if name != "data"}


def _dataset(own: Dataset, case: Case) -> Dataset:
    n, graphs = case
    return DataRequest(sizes=str(n), graphs=graphs, count=COUNTS[n]).datasets(own)[0]


def _origin(folder: Folder) -> dict[str, Any]:
    """Where the weights are from."""
    run, result = folder.run(), folder.result()
    assert result is not None
    sessions = [{name: entry.get(name) for name in ORIGIN} for entry in folder.sessions()]
    weights = (folder.path / "best.safetensors").read_bytes()
    return {
        "name": f"{folder.path.name}@{folder.path.parent.name}",
        "algorithm": run.algorithm,
        "trained_on": {"dataset": run.dataset, "rungs": list(dict.fromkeys(run.rungs())), "steps": run.steps},
        "command": command(run),
        "seed": run.seed,
        "sessions": sessions,
        "seconds": result["seconds"],
        "protocol": result["protocol"],
        "chosen_at_step": result["step"],
        "depth": result["depth"],
        "official_test": {"score": result["test"], "graph_score": result["test_graph"]},
        "checksum": f"sha256:{hashlib.sha256(weights).hexdigest()}",
        "bytes": len(weights),
    }


def command(run: ResolvedRun) -> str:
    """The command line that trains a run.

    >>> from narlab.training import Run
    >>> command(Run("bfs", recipe="ladder", relations=False, metrics=("score", "graph_score", "valid")).resolved())
    'narlab train bfs --metrics score,graph_score,valid --recipe ladder --no-relations --seed 42'
    """
    given = {**differences(run), "seed": run.seed}
    words = [_option(name, value) for name, value in sorted(given.items()) if name != "algorithm"]
    return " ".join(["narlab train", run.algorithm, *words])


def _option(name: str, value: Any) -> str:
    option = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{option}" if value else f"--no-{option}"
    if isinstance(value, list):
        return f"--{option} {(' ' if name == 'hint_names' else ',').join(value) or 'none'}"
    return f"--{option} {value}"


def _with_scores(origin: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {**origin, "scores": rows, "known_failures": failures(rows)}


def failures(rows: list[dict[str, Any]]) -> list[str]:
    """In words, where fewer answers than `FAILING` are valid.

    >>> failures([{"n": 64, "graphs": "tree", "count": 32, "valid": 0.5, "such_as": "instance 3: no path to 5"}])
    ['n=64, tree: 16 of 32 answers are not valid (instance 3: no path to 5)']
    """
    found = []
    for row in rows:
        share = row["valid"] if "valid" in row else row["graph_score"]
        if share < FAILING:
            where = f"n={row['n']}" + (f", {row['graphs']}" if row["graphs"] else "")
            wrong = f"{round((1 - share) * row['count'])} of {row['count']} answers are not valid"
            found.append(f"{where}: {wrong}" + (f" ({row['such_as']})" if "such_as" in row else ""))
    return found
