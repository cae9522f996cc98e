"""Data sets as files: safetensors and NPZ, written piece by piece, whole or not at all.

Arrays are called `inputs/A`, `outputs/pi`, `hints/pi_h`, `marks/...` and `lengths`. The data set's full description is
JSON: under `narlab` in a safetensors header, in the array `narlab` of an NPZ.
"""

import json
import os
import shutil
import struct
import tempfile
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open

from narlab import algorithms
from narlab.algorithms.engine.checking import check_inputs
from narlab.algorithms.sampling import block_size
from narlab.common.errors import UsageError, brief, unknown
from narlab.common.files import check_ordinary, check_target
from narlab.common.machine import check_memory
from narlab.data.dataset import Dataset
from narlab.data.generation import Arrays, Description, Samples
from narlab.specs import Probe, Type

DTYPES = {"float64": "F64", "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8"}
OF_NUMPY = (*DTYPES.values(), "F32", "F16", "U64", "U32", "U16", "U8", "BOOL")
CHUNK_CELLS = 2**23  # values in memory at once
MOST_ARRAYS = 1000  # in a file
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
UNREADABLE = (
    SafetensorError, zipfile.BadZipFile, zlib.error, struct.error, RuntimeError, EOFError, OSError, ValueError,
    SyntaxError, tokenize.TokenError,
)  # fmt: skip
"""What reading a file that is not as it should be may raise."""


def export(dataset: Dataset, path: str | os.PathLike, progress: Callable[[int], None] = lambda done: None) -> Path:
    """Write `dataset` to `path`, whose suffix decides the format: .safetensors or .npz.

    Memory holds one piece at a time. `progress` is told how many samples are done.
    """
    path = Path(path)
    if path.suffix not in WRITERS:
        raise UsageError(f"cannot tell the format of {str(path)!r}; its name must end in {' or '.join(WRITERS)}")
    check_target(path)
    check_room(dataset, path)
    with scratch_beside(path) as (folder, unfinished):
        arrays = _spool(dataset, folder, progress)
        WRITERS[path.suffix](unfinished, arrays, dataset.description.to_json())
    return path


def check_room(dataset: Dataset, path: Path, *, shrunk: int = 1) -> None:
    """Raise a `UsageError` if the disk has no room for the arrays without hints, which the file is made of at first.

    `shrunk` is how many times smaller they may be there, if they are compressed at once.
    """
    first = dataset[:1]
    size = sum(array.nbytes for stage in (first.inputs, first.outputs) for array in stage.values())
    folder = next(folder for folder in path.absolute().parents if folder.exists())
    needed, free = len(dataset) * size // shrunk, shutil.disk_usage(folder).free
    if needed > free:
        told = f"{needed / 1e9:,.1f} GB on the disk, and {free / 1e9:,.1f} GB are free"
        raise UsageError(f"cannot write {str(path)!r}: {len(dataset)} samples need at least {told}; take fewer")


@contextmanager
def scratch_beside(path: Path) -> Iterator[tuple[Path, Path]]:
    """A scratch folder beside `path` and the unfinished file in it, which takes its place at the end."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as scratch:
            yield Path(scratch), Path(scratch) / "unfinished"
            os.replace(Path(scratch) / "unfinished", path)
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror or error}") from error


class _Spool:
    """One array on disk, growing along its first axis."""

    def __init__(self, file: Path, dtype: np.dtype, shape: tuple[int, ...]) -> None:
        self.file, self.dtype, self.shape = file, dtype, shape

    def append(self, array: np.ndarray) -> None:
        with self.file.open("ab") as handle:
            handle.write(np.ascontiguousarray(array, self.dtype).tobytes())


def _spool(dataset: Dataset, folder: Path, progress: Callable[[int], None]) -> dict[str, _Spool]:
    """Write every array of `dataset` to a file of its own, chunk by chunk."""
    longest = int(dataset.lengths.max(initial=0)) if dataset.has_hints else 0
    spools: dict[str, _Spool] = {}
    done = 0
    for chunk in dataset.chunks(chunk_size(dataset, longest)) if len(dataset) else [dataset]:
        for name, array in _named(chunk, longest).items():
            if name not in spools:
                spools[name] = _Spool(folder / str(len(spools)), array.dtype, (len(dataset), *array.shape[1:]))
            spools[name].append(array)
        done += len(chunk)
        progress(done)
    return spools


def chunk_size(dataset: Dataset, longest: int) -> int:
    """How many samples to hold in memory at once, whole blocks of the stream if possible."""
    algorithm = algorithms.get(dataset.algorithm)
    nodes = dataset[:1].inputs["pos"].shape[1]

    def cells(probes: tuple[Probe, ...]) -> int:
        return sum(prod(probe.shape(nodes)) for probe in probes)

    samples = CHUNK_CELLS // (cells(algorithm.inputs + algorithm.outputs) + longest * cells(algorithm.hints))
    block = block_size(dataset.description.n)
    return max(1, samples - samples % block if samples > block else samples)


def _named(chunk: Dataset, longest: int) -> Arrays:
    stages = {"inputs": chunk.inputs, "outputs": chunk.outputs, "marks": chunk.marks}
    if chunk.has_hints:
        stages["hints"] = {name: _padded(rows, longest) for name, rows in chunk.hints.items()}
    named = {f"{stage}/{name}": array for stage, arrays in stages.items() for name, array in arrays.items()}
    return {**named, "lengths": chunk.lengths}


def _padded(rows: np.ndarray, longest: int) -> np.ndarray:
    return np.pad(rows, [(0, 0), (0, longest - rows.shape[1])] + [(0, 0)] * (rows.ndim - 2))


def _write_safetensors(path: Path, arrays: dict[str, _Spool], text: str) -> None:
    """The format by hand, because the library wants all arrays in memory: header length, header, arrays."""
    header: dict = {"__metadata__": {"narlab": text}}
    offset = 0
    for name, spool in arrays.items():
        end = offset + spool.file.stat().st_size
        header[name] = {"dtype": DTYPES[str(spool.dtype)], "shape": list(spool.shape), "data_offsets": [offset, end]}
        offset = end
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 8)
    with path.open("wb") as out:
        out.write(len(encoded).to_bytes(8, "little") + encoded)
        for spool in arrays.values():
            with spool.file.open("rb") as handle:
                shutil.copyfileobj(handle, out, 2**20)


def _write_npz(path: Path, arrays: dict[str, _Spool], text: str) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("narlab.npy", "w") as out:
            np.lib.format.write_array(out, np.array(text))
        for name, spool in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as out, spool.file.open("rb") as handle:
                descriptor = np.lib.format.dtype_to_descr(spool.dtype)
                layout = {"descr": descriptor, "fortran_order": False, "shape": spool.shape}
                np.lib.format.write_array_header_1_0(out, layout)
                shutil.copyfileobj(handle, out, 2**20)


WRITERS = {".safetensors": _write_safetensors, ".npz": _write_npz}


def read(path: str | os.PathLike) -> Dataset:
    """The data set that `export` wrote to `path`; a `UsageError` if it is none that could have been."""
    path = Path(path)
    if path.suffix not in READERS:
        raise UsageError(f"cannot tell the format of {str(path)!r}; its name must end in {' or '.join(READERS)}")
    if not path.exists():
        raise UsageError(f"there is no file {str(path)!r}")
    try:
        text, arrays = READERS[path.suffix](path)
        description = Description.from_json(text)
        samples = _samples(description, arrays)
    except UNREADABLE as error:
        raise UsageError(f"{str(path)!r} is no whole data set of narlab: {error}") from error
    return Dataset(description, hints=samples.hints is not None, made=samples)


def _read_safetensors(path: Path) -> tuple[str, Arrays]:
    arrays, metadata = read_safetensors(path)
    return metadata.get("narlab", ""), arrays


def _read_npz(path: Path) -> tuple[str, Arrays]:
    arrays = read_npz(path)
    return str(arrays.pop("narlab", "")), arrays


READERS = {".safetensors": _read_safetensors, ".npz": _read_npz}


def read_safetensors(path: Path) -> tuple[Arrays, dict[str, str]]:
    """The arrays of a safetensors file, all of dtypes that NumPy has, and its metadata."""
    check_ordinary(path)
    with safe_open(path, framework="numpy") as file:
        names = list(file.keys())
        for name in names:
            if (dtype := file.get_slice(name).get_dtype()) not in OF_NUMPY:
                known = ", ".join(OF_NUMPY)
                raise UsageError(f"the array {brief(name)} must have one of the dtypes {known}, got {dtype}")
        return {name: file.get_tensor(name) for name in names}, file.metadata() or {}


def read_npz(path: Path) -> Arrays:
    """The arrays of an NPZ file, each as large as it says; what it says is looked at before any room is made for it."""
    check_ordinary(path)
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        if len(entries) > MOST_ARRAYS:
            raise UsageError(f"it has {len(entries)} arrays, more than {MOST_ARRAYS}")
        check_memory(f"{str(path)!r}", sum(entry.file_size for entry in entries), "take a part of it")
        return {entry.filename.removesuffix(".npy"): _array(archive, entry) for entry in entries}


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> np.ndarray:
    name = repr(entry.filename.removesuffix(".npy")[:100])
    if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UsageError(f"the array {name} is encrypted or compressed in another way than NumPy's")
    with archive.open(entry) as file:
        version = np.lib.format.read_magic(file)
        if version not in HEADERS:
            raise UsageError(f"the array {name} is of NPY's version {version}; known: (1, 0) and (2, 0)")
        shape, by_columns, dtype = HEADERS[version](file)
        if dtype.kind not in "biufU":
            raise UsageError(f"the array {name} must hold numbers, got dtype {dtype}")
        content = bytearray(file.read())
    if len(content) != prod(shape) * dtype.itemsize:
        raise UsageError(f"the array {name} has {len(content)} bytes, not those of {list(shape)} values of {dtype}")
    array = np.frombuffer(content, dtype) if content else np.zeros(0, dtype)
    return array.reshape(shape, order="F" if by_columns else "C").astype(dtype.newbyteorder("="), copy=False)


def _samples(description: Description, arrays: Arrays) -> Samples:
    """The arrays by stage and in the probes' order, each with the shape and the values that its probe tells."""
    algorithm = algorithms.get(description.algorithm)
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise UsageError(f"{name} must hold numbers, got dtype {array.dtype}")
    known = {f"{probe.stage}s/{probe.name}" for probe in algorithm.probes} | {"lengths"}
    for name in arrays:
        if name not in known and not name.startswith("marks/"):
            raise unknown("array", name, known)
    inputs = _stage(arrays, "inputs", algorithm.inputs)
    count, nodes = check_inputs(algorithm, inputs)["pos"].shape
    lengths = _named_array(arrays, "lengths", (count,))
    if lengths.dtype.kind not in "iu" or (lengths < 0).any():
        raise UsageError("lengths must be integers of at least 0")
    has_hints = any(name.startswith("hints/") for name in arrays)
    rows = (count, int(lengths.max(initial=0)))
    marks = {name.removeprefix("marks/"): array for name, array in arrays.items() if name.startswith("marks/")}
    for name, array in marks.items():
        _check_finite(f"marks/{name}", _named_array(arrays, f"marks/{name}", (count, *array.shape[1:])))
    return Samples(
        inputs=inputs,
        outputs=_checked_stage(arrays, "outputs", algorithm.outputs, (count,), nodes),
        lengths=lengths,
        hints=_checked_stage(arrays, "hints", algorithm.hints, rows, nodes) if has_hints else None,
        marks=marks,
    )


def _stage(arrays: Arrays, stage: str, probes: tuple[Probe, ...]) -> Arrays:
    return {probe.name: _named_array(arrays, f"{stage}/{probe.name}") for probe in probes}


def _checked_stage(arrays: Arrays, stage: str, probes: tuple[Probe, ...], rows: tuple[int, ...], nodes: int) -> Arrays:
    """The arrays of outputs or hints; inputs are checked by their algorithm."""
    for probe in probes:
        name = f"{stage}/{probe.name}"
        array = _named_array(arrays, name, (*rows, *probe.shape(nodes)))
        _check_finite(name, array)
        if probe.type is Type.POINTER and not ((array >= 0) & (array < nodes) & (array == np.floor(array))).all():
            raise UsageError(f"{name} must point to nodes from 0 to {nodes - 1}")
        if probe.type not in (Type.POINTER, Type.SCALAR) and not np.isin(array, (-1, 0, 1)).all():
            raise UsageError(f"{name} must hold zeros and ones, and -1 where it is masked")
    return _stage(arrays, stage, probes)


def _check_finite(name: str, array: np.ndarray) -> None:
    if not np.isfinite(array).all():
        raise UsageError(f"{name} must be finite, got NaN or infinity")


def _named_array(arrays: Arrays, name: str, shape: tuple[int, ...] | None = None) -> np.ndarray:
    if name not in arrays:
        raise UsageError(f"the array {name} is missing")
    if shape is not None and arrays[name].shape != shape:
        raise UsageError(f"{name} has shape {list(arrays[name].shape)}, expected {list(shape)}")
    return arrays[name]
