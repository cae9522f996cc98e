"""A user's own instances: read from a file, executed for the truth, and predictions written to a file.

A file of inputs is JSON, a dict of input names and nested lists; NPZ or safetensors, arrays by name, which may also be
called `inputs/NAME`, as `narlab generate` writes them; or an edge list, .txt or .csv: a line `0 1` or `0 1 0.5` for
each edge, and a line `s 0` that names the source. `narlab.algorithms.engine.instances` says what may be left out.
"""

import io
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from narlab import algorithms
from narlab.algorithms.engine import Algorithm
from narlab.algorithms.engine.checking import check_inputs
from narlab.algorithms.engine.instances import complete
from narlab.common.errors import UsageError, brief
from narlab.common.files import parse_json, read_bytes, write_whole
from narlab.data import Dataset, Description
from narlab.data.files import UNREADABLE, read_npz, read_safetensors
from narlab.data.generation import Samples
from narlab.evaluation.metrics import correct
from narlab.evaluation.prediction import as_arrays
from narlab.models.batch import Tensors
from narlab.specs import Probe

SUFFIXES = (".json", ".npz")
"""Of predictions."""
STAGE = "inputs/"
LARGEST_JSON = 2**30  # bytes


def read_inputs(path: str | os.PathLike) -> Any:
    """What a file gives as inputs; whether an algorithm can run on them is for `as_dataset` to say."""
    path = Path(path)
    if path.suffix.lower() not in READERS:
        raise UsageError(f"cannot tell the format of {str(path)!r}; its name must end in {' or '.join(READERS)}")
    if not path.exists():
        raise UsageError(f"there is no file {str(path)!r}")
    try:
        return READERS[path.suffix.lower()](path)
    except UNREADABLE as error:
        raise UsageError(f"{str(path)!r} can't be read as {path.suffix[1:].upper()}: {error}") from error


def _read_json(path: Path) -> Any:
    return parse_json(read_bytes(path, LARGEST_JSON))


def _read_npz(path: Path) -> dict[str, np.ndarray]:
    arrays = read_npz(path)
    return {name.removeprefix(STAGE): arrays[name] for name in _of_inputs(list(arrays))}


def _read_safetensors(path: Path) -> dict[str, np.ndarray]:
    arrays, _ = read_safetensors(path)
    return {name.removeprefix(STAGE): arrays[name] for name in _of_inputs(list(arrays))}


def _of_inputs(names: list[str]) -> list[str]:
    return [name for name in names if name.startswith(STAGE)] or names


def _read_edges(path: Path) -> dict[str, Any]:
    """Numbers with spaces or commas between, an edge a line; `s 0` and `n 8` set the source and the number of nodes."""
    found: dict[str, Any] = {"edges": []}
    for number, line in enumerate(read_bytes(path).decode().splitlines(), 1):
        words = re.split(r"[\s,;]+", line.partition("#")[0].strip())
        if words == [""]:
            continue
        try:
            if words[0] in ("s", "n"):
                found[words[0]] = int(words[1])
            else:
                u, v, *weight = words
                found["edges"].append([int(u), int(v), *map(float, weight)])
        except (ValueError, IndexError):
            raise UsageError(
                f"line {number} must be an edge such as '0 1 0.5', 's 0' or 'n 8', got {brief(line)}"
            ) from None
    return found


READERS: dict[str, Callable[[Path], Any]] = {
    ".json": _read_json,
    ".npz": _read_npz,
    ".safetensors": _read_safetensors,
    ".txt": _read_edges,
    ".csv": _read_edges,
}


def as_dataset(algorithm: str | Algorithm, inputs: Any, *, hints: bool = False) -> Dataset:
    """A user's own instances, with the outputs that executing `algorithm` on them gives.

    Arguments:
        algorithm: its name, or itself.
        inputs: as `Algorithm.execute` takes them: arrays or nested lists by name, a networkx graph, or a list of such
            instances of one size.
        hints: whether each instance's trajectory is recorded.

    >>> import networkx
    >>> graph = networkx.path_graph(3)
    >>> graph.graph["s"] = 0
    >>> as_dataset("bfs", graph).outputs["pi"].tolist()
    [[0, 0, 1]]
    """
    algorithm = algorithms.get(algorithm)
    valid = check_inputs(algorithm, complete(algorithm, inputs))
    count, nodes = valid["pos"].shape
    if not count:
        raise UsageError("there is no instance in the inputs: their first axis is empty")
    done = algorithm.execute_valid(valid, hints)
    name = algorithms.CATALOGUE.name_of(algorithm)
    description = Description("own", name, "own", n=nodes, count=count, seed=0)
    return Dataset(description, hints=hints, made=Samples(valid, done.outputs, done.lengths, done.hints))


def write_predictions(algorithm: Algorithm, predicted: Tensors, path: str | os.PathLike) -> Path:
    """Write predictions by the names of the outputs, as JSON or NPZ."""
    arrays = as_arrays(algorithm, predicted)
    if Path(path).suffix.lower() == ".json":
        return write_whole(path, json.dumps({name: array.tolist() for name, array in arrays.items()}).encode() + b"\n")
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)  # type: ignore[arg-type]
    return write_whole(path, content.getvalue())


@dataclass(frozen=True)
class Right:
    """How much of an output is right: elements that count, and graphs in which all of them are."""

    right_elements: int
    elements: int
    right_graphs: int
    graphs: int


def how_much_is_right(probe: Probe, predicted: Tensor, truth: Tensor) -> Right:
    """Compare the values of one output, [B, ...].

    >>> import torch
    >>> (parent,) = algorithms.get("bfs").outputs
    >>> how_much_is_right(parent, torch.tensor([[0, 0, 1], [0, 1, 1]]), torch.tensor([[0, 0, 1], [0, 0, 1]]))
    Right(right_elements=5, elements=6, right_graphs=1, graphs=2)
    """
    right, counts = correct(probe, predicted, truth)
    whole = (right | ~counts).reshape(len(right), -1).all(1)
    return Right(int((right & counts).sum()), int(counts.sum()), int(whole.sum()), len(whole))
