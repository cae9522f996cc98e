"""Whether arrays are inputs or outputs of an algorithm; if not, a `ValueError` says what is wrong and what is valid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from narlab.algorithms.engine.algorithm import LARGEST, Algorithm
from narlab.common.errors import UsageError, did_you_mean
from narlab.specs import Location, Probe, Type

LARGEST_NUMBER = float(np.finfo(np.float32).max)  # models count in single precision


def check_inputs(algorithm: Algorithm, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """`inputs` as contiguous arrays in the probes' dtypes, or a `ValueError`."""
    raw = _by_name(algorithm, "input", algorithm.inputs, inputs)
    if raw["pos"].ndim != 2:
        raise UsageError(f"input 'pos' must have shape [count, N], got {_shape(raw['pos'])}")
    count, nodes = raw["pos"].shape
    if not 1 <= nodes <= LARGEST:
        raise UsageError(f"from 1 to {LARGEST} nodes are possible, got {nodes}")
    arrays = {probe.name: _checked(probe, raw[probe.name], count, nodes) for probe in algorithm.inputs}
    if algorithm.has_graph:
        _check_graph(arrays["A"], arrays["adj"])
    problem = None if algorithm.validity is None else algorithm.validity.check
    for check in dict.fromkeys((algorithm.check, problem)):
        if check is not None and count:
            check(arrays)
    return arrays


def _by_name(
    algorithm: Algorithm, stage: str, probes: Sequence[Probe], arrays: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """An array of numbers for each of `probes` and for nothing else."""
    if not isinstance(arrays, Mapping):
        raise UsageError(f"{stage}s of {algorithm.name} must be a dict of arrays, got {type(arrays).__name__}")
    known = [probe.name for probe in probes]
    for name in arrays:
        if name not in known:
            raise UsageError(
                f"{algorithm.name} has no {stage} {name!r}; {did_you_mean(name, known)}Its {stage}s: {', '.join(known)}"
            )
    found = {name: _numbers(f"{stage} {name!r}", values) for name, values in arrays.items()}
    for name in known:  # what follows from the others is missing where they are wrong
        if name not in found:
            raise UsageError(f"{algorithm.name} misses the {stage} {name!r}; its {stage}s: {', '.join(known)}")
    return found


def _numbers(what: str, values: object) -> np.ndarray:
    try:
        array = np.asarray(values)
    except ValueError:
        raise UsageError(f"{what} must be one array, got rows of different lengths") from None
    if array.dtype.kind not in "biuf":
        raise UsageError(f"{what} must be an array of numbers, got dtype {array.dtype}")
    return array


def _checked(probe: Probe, array: np.ndarray, count: int, nodes: int) -> np.ndarray:
    expected = (count, *probe.shape(nodes))
    if probe.location is Location.EDGE and array.ndim == len(expected) and array.shape[1] != array.shape[2]:
        raise UsageError(f"input {probe.name!r} must be square, [count, N, N], got {_shape(array)}")
    if array.shape != expected:
        raise UsageError(f"input {probe.name!r} must have shape {list(expected)}, got {_shape(array)}")
    if not np.isfinite(array).all():
        raise UsageError(f"input {probe.name!r} must be finite, got NaN or infinity")
    if array.dtype.kind == "f" and array.itemsize > 4 and (np.abs(array) > LARGEST_NUMBER).any():
        raise UsageError(f"input {probe.name!r} must be at most {LARGEST_NUMBER:.2g} in size, which models take")
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
    if A.dtype.kind == "i":  # graphs without weights are declared so, by their dtype
        _refuse_pair(A, (A != 0) & (A != 1), "must be 0 or 1, since edges have no weights here")


def check_no_negative_weights(arrays: dict[str, np.ndarray]) -> None:
    """No edge has a negative weight: the algorithm's answer would not be the problem's."""
    _refuse_pair(arrays["A"], arrays["A"] < 0, "must not be negative")


def _refuse_pair(A: np.ndarray, wrong: np.ndarray, must: str) -> None:
    if wrong.any():
        sample, u, v = (int(k) for k in np.argwhere(wrong)[0])
        raise UsageError(f"input 'A' {must}, got {A[sample, u, v]} from {u} to {v} in sample {sample}")


def _shape(array: np.ndarray) -> str:
    return str(list(array.shape))


def check_undirected(arrays: dict[str, np.ndarray]) -> None:
    """The graphs are undirected: what holds from u to v holds from v to u."""
    A = arrays["A"]
    wrong = A != A.swapaxes(1, 2)
    if wrong.any():
        sample, u, v = (int(k) for k in np.argwhere(wrong)[0])
        weights = f"{A[sample, u, v]} from {u} to {v} and {A[sample, v, u]} back"
        raise UsageError(f"input 'A' must be symmetric, as an undirected graph is, but sample {sample} has {weights}")


def check_ascending(arrays: dict[str, np.ndarray]) -> None:
    """The keys are sorted."""
    if (arrays["key"][:, 1:] < arrays["key"][:, :-1]).any():
        raise UsageError("input 'key' must be ascending")


def check_strings(arrays: dict[str, np.ndarray]) -> None:
    """All samples have the same two strings' layout: the first string's nodes, then the second's."""
    string = arrays["string"]
    if (np.diff(string, axis=1) < 0).any() or (string[:, 0] != 0).any() or (string[:, -1] != 1).any():
        raise UsageError("input 'string' must be 0 on the first string's nodes, then 1 on the second's, both not empty")


def check_outputs(
    algorithm: Algorithm,
    outputs: Mapping[str, np.ndarray],
    inputs: Mapping[str, np.ndarray],
    masked: Callable[[dict[str, np.ndarray]], dict[str, np.ndarray]] | None = None,
) -> dict[str, np.ndarray]:
    """`outputs` to checked `inputs` as contiguous arrays in the probes' dtypes, or a `ValueError`.

    `masked(inputs)` says by name at which elements -1 is allowed.
    """
    raw = _by_name(algorithm, "output", algorithm.outputs, outputs)
    count, nodes = inputs["pos"].shape
    blank = masked(dict(inputs)) if masked is not None else {}
    for probe in algorithm.outputs:
        array, expected = raw[probe.name], [count, *probe.shape(nodes)]
        if list(array.shape) != expected:
            raise UsageError(f"output {probe.name!r} must have shape {expected}, got {_shape(array)}")
        if probe.type is Type.POINTER:
            _check_pointers(probe, array, nodes)
        else:
            _check_marks(probe, array, blank.get(probe.name))
    return {probe.name: np.require(raw[probe.name], probe.dtype, ["C", "W"]) for probe in algorithm.outputs}


def _check_pointers(probe: Probe, array: np.ndarray, nodes: int) -> None:
    right = (array >= 0) & (array < nodes)
    if array.dtype.kind == "f":
        right &= array == np.floor(array)
    if not right.all():
        raise _wrong_element(probe, array, right, f"must point to a node from 0 to {nodes - 1}")


def _check_marks(probe: Probe, array: np.ndarray, masked: np.ndarray | None) -> None:
    """Zeros and ones, and where `masked` also -1, in a categorical only as its last category."""
    one_hot = probe.type in (Type.MASK_ONE, Type.CATEGORICAL)
    right = (array == 0) | (array == 1)
    if masked is not None and probe.categories:
        right[..., -1] |= masked & (array[..., -1] == -1)
    elif masked is not None:
        right |= masked & (array == -1)
    if not right.all():
        raise _wrong_element(probe, array, right, "must be 0 or 1")
    if one_hot:
        size = np.abs(array)
        marks = sum(size[..., k] for k in range(probe.categories)) if probe.categories else size.sum(-1)
        if not (marks == 1).all():
            raise _wrong_element(probe, marks, marks == 1, "must be one-hot, with exactly one 1", "ones")


def _wrong_element(probe: Probe, array: np.ndarray, right: np.ndarray, must: str, unit: str = "") -> UsageError:
    """The error for the first element of `array` that is not `right`."""
    first = tuple(int(k) for k in np.argwhere(~right)[0])
    instance, *place = first
    where = {Location.NODE: "node", Location.EDGE: "pair", Location.GRAPH: "category"}[probe.location]
    element = f" at {where} {', '.join(map(str, place))}" if place else ""
    return UsageError(
        f"output {probe.name!r} of instance {instance}{element} {must}, got {array[first]} {unit}".rstrip()
    )
