"""A user's own instances: read from a file, executed for the truth, and predictions written to a file.

A file of inputs is JSON, a dict of probe names and nested lists, or NPZ, arrays by probe name; both with a leading axis
of samples. The arrays of an NPZ may also be called `inputs/NAME`, as `narlab generate` writes them.
"""

import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from narlab import algorithms
from narlab.algorithms.engine import Algorithm
from narlab.algorithms.engine.checking import check_inputs
from narlab.common.errors import UsageError
from narlab.common.files import parse_json, read_bytes, write_whole
from narlab.data import Dataset, Description
from narlab.data.files import UNREADABLE, read_npz
from narlab.data.generation import Samples
from narlab.evaluation.metrics import correct
from narlab.evaluation.prediction import as_arrays
from narlab.models.batch import Tensors
from narlab.specs import Probe

SUFFIXES = (".json", ".npz")
STAGE = "inputs/"
LARGEST_JSON = 2**30  # bytes


def read_inputs(path: str | os.PathLike) -> Any:
    """What a file gives as inputs; whether an algorithm can run on them is for `as_dataset` to say."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"cannot tell the format of {str(path)!r}; its name must end in {' or '.join(SUFFIXES)}")
    if not path.exists():
        raise UsageError(f"there is no file {str(path)!r}")
    try:
        return _read_npz(path) if path.suffix.lower() == ".npz" else parse_json(read_bytes(path, LARGEST_JSON))
    except UNREADABLE as error:
        raise UsageError(f"{str(path)!r} can't be read as {path.suffix[1:].upper()}: {error}") from error


def _read_npz(path: Path) -> dict[str, np.ndarray]:
    arrays = read_npz(path)
    staged = [name for name in arrays if name.startswith(STAGE)]
    return {name.removeprefix(STAGE): arrays[name] for name in staged or arrays}


def as_dataset(algorithm: Algorithm, inputs: Mapping[str, Any], *, hints: bool = False) -> Dataset:
    """`inputs`, arrays [count, ...] or nested lists by name, with the outputs that executing `algorithm` on them gives.

    >>> path = [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    >>> inputs = {"pos": [[0, 1 / 3, 2 / 3]], "s": [[1, 0, 0]], "A": [path], "adj": [path]}
    >>> as_dataset(algorithms.get("bfs"), inputs).outputs["pi"].tolist()
    [[0, 0, 1]]
    """
    valid = check_inputs(algorithm, inputs)
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
