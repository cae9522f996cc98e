"""Whether inputs are what an algorithm can run on; if not, a `ValueError` says what is wrong and what is valid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from narlab.common.checks import check_integer
from narlab.common.errors import UsageError
from narlab.common.names import did_you_mean
from narlab.specs import Location, Probe, Type

if TYPE_CHECKING:
    from narlab.algorithms.engine.algorithm import Algorithm

LARGEST = 2**15 - 1  # nodes: pointers are int16


def check_size(algorithm: Algorithm, n: object) -> int:
    n = check_integer("n", n, 0)
    if not algorithm.smallest <= n <= LARGEST:
        raise UsageError(f"{algorithm.name} needs n from {algorithm.smallest} to {LARGEST}, got n={n}")
    return n


def check_inputs(algorithm: Algorithm, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """`inputs` as contiguous arrays in the probes' dtypes, or a `ValueError`."""
    if not isinstance(inputs, Mapping):
        raise UsageError(f"inputs of {algorithm.name} must be a dict of arrays, got {type(inputs).__name__}")
    known = [probe.name for probe in algorithm.inputs]
    for name in inputs:
        if name not in known:
            raise UsageError(
                f"{algorithm.name} has no input {name!r}; {did_you_mean(name, known)}Its inputs: {', '.join(known)}"
            )
    for name in known:
        if name not in inputs:
            raise UsageError(f"{algorithm.name} misses the input {name!r}; its inputs: {', '.join(known)}")
    raw = {probe.name: _numbers(probe, inputs[probe.name]) for probe in algorithm.inputs}
    if raw["pos"].ndim != 2:
        raise UsageError(f"input 'pos' must have shape [count, N], got {_shape(raw['pos'])}")
    count, nodes = raw["pos"].shape
    if not 1 <= nodes <= LARGEST:
        raise UsageError(f"from 1 to {LARGEST} nodes are possible, got {nodes}")
    arrays = {probe.name: _checked(probe, raw[probe.name], count, nodes) for probe in algorithm.inputs}
    if algorithm.has_graph:
        _check_graph(arrays["A"], arrays["adj"])
    if algorithm.check is not None and count:
        algorithm.check(arrays)
    return arrays


def _numbers(probe: Probe, values: object) -> np.ndarray:
    try:
        array = np.asarray(values)
    except ValueError:
        raise UsageError(f"input {probe.name!r} must be one array, got rows of different lengths") from None
    if array.dtype.kind not in "biuf":
        raise UsageError(f"input {probe.name!r} must be an array of numbers, got dtype {array.dtype}")
    return array


def _checked(probe: Probe, array: np.ndarray, count: int, nodes: int) -> np.ndarray:
    expected = (count, *probe.shape(nodes))
    if probe.location is Location.EDGE and array.ndim == len(expected) and array.shape[1] != array.shape[2]:
        raise UsageError(f"input {probe.name!r} must be square, [count, N, N], got {_shape(array)}")
    if array.shape != expected:
        raise UsageError(f"input {probe.name!r} must have shape {list(expected)}, got {_shape(array)}")
    if not np.isfinite(array).all():
        raise UsageError(f"input {probe.name!r} must be finite, got NaN or infinity")
    with np.errstate(invalid="ignore", over="ignore"):
        narrow = np.array(array, dtype=probe.dtype, order="C")
    if probe.dtype != "float64" and not (narrow == array).all():
        wrong = array[narrow != array].flat[0]
        raise UsageError(f"input {probe.name!r} must hold integers that fit {probe.dtype}, got {wrong}")
    if probe.type in (Type.MASK, Type.MASK_ONE, Type.CATEGORICAL) and not ((narrow == 0) | (narrow == 1)).all():
        raise UsageError(f"input {probe.name!r} must hold zeros and ones, got {narrow[(narrow < 0) | (narrow > 1)][0]}")
    if probe.type in (Type.MASK_ONE, Type.CATEGORICAL) and not (narrow.sum(-1) == 1).all():
        raise UsageError(f"input {probe.name!r} must be one-hot: exactly one 1 along its last axis")
    return narrow


def _check_graph(A: np.ndarray, adj: np.ndarray) -> None:
    diagonal = np.eye(A.shape[-1], dtype=bool)
    if not (adj == ((A != 0) | diagonal)).all():
        raise UsageError("input 'adj' must be 1 where A is not zero and on the diagonal, and 0 elsewhere")


def _shape(array: np.ndarray) -> str:
    return str(list(array.shape))


def check_ascending(arrays: dict[str, np.ndarray]) -> None:
    """The keys are sorted."""
    if (arrays["key"][:, 1:] < arrays["key"][:, :-1]).any():
        raise UsageError("input 'key' must be ascending")


def check_strings(arrays: dict[str, np.ndarray]) -> None:
    """All samples have the same two strings' layout: the first string's nodes, then the second's."""
    string = arrays["string"]
    if (np.diff(string, axis=1) < 0).any() or (string[:, 0] != 0).any() or (string[:, -1] != 1).any():
        raise UsageError("input 'string' must be 0 on the first string's nodes, then 1 on the second's, both not empty")
