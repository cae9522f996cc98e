"""Data sets as Parquet, for Hugging Face's `datasets`, pandas and whoever reads Parquet: a row per sample.

Columns are the probes by their names, what a data set marks its samples with, and `length`, the number of rows of
hints. A value of an edge probe is N lists of N numbers; a hint is as many of its values as the sample has rows, without
padding. The schema's metadata holds the description of the data set under `narlab`, and each column's says its stage,
location and type.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import narlab
from narlab import algorithms
from narlab.algorithms.engine import Algorithm
from narlab.common.errors import UsageError
from narlab.common.files import check_target
from narlab.data import Dataset
from narlab.data.files import check_room, chunk_size, scratch_beside
from narlab.specs import Stage

__all__ = ["export"]

LENGTH = "length"
MOST_SHRUNK = 100  # times that arrays of zeros and ones may be smaller when they are compressed
MOST_ROWS = 10_000  # in a row group, which readers hold in memory at once
LOOKED_AT = 64  # samples that say how long trajectories are


def export(dataset: Dataset, path: str | os.PathLike, progress: Callable[[int], None] = lambda done: None) -> Path:
    """Write `dataset` to the Parquet file `path`, a row group at a time; `progress` is told how many samples are done.

    >>> import pandas
    >>> path = export(narlab.data.custom("bfs", n=4, count=3, hints=True), "bfs.parquet")
    >>> frame = pandas.read_parquet(path)
    >>> list(frame), len(frame.pi[0])
    (['pos', 's', 'A', 'adj', 'pi', 'reach_h', 'pi_h', 'length'], 4)
    """
    pyarrow, parquet = _libraries()
    path = check_target(path, (".parquet",))
    check_room(dataset, path, shrunk=MOST_SHRUNK)
    done = 0
    with scratch_beside(path) as (_, unfinished):
        schema = _schema(pyarrow, dataset)
        with parquet.ParquetWriter(unfinished, schema, compression="zstd") as writer:
            for chunk in _chunks(dataset):
                columns = [_column(pyarrow, field, chunk) for field in schema]
                writer.write_table(pyarrow.table(columns, schema=schema))
                done += len(chunk)
                progress(done)
    return path


def _libraries() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UsageError("Parquet needs pyarrow; get it with: pip install 'narlab[parquet]'") from None
    return pyarrow, parquet


def _chunks(dataset: Dataset) -> Iterator[Dataset]:
    longest = int(dataset[:LOOKED_AT].lengths.max(initial=0)) if dataset.has_hints else 0
    return iter(dataset.chunks(min(MOST_ROWS, chunk_size(dataset, longest)))) if len(dataset) else iter(())


def _values(chunk: Dataset) -> dict[str, np.ndarray]:
    """Every column, [count, ...], hints [count, T, ...]."""
    hints = chunk.hints if chunk.has_hints else {}
    return {**chunk.inputs, **chunk.outputs, **hints, **chunk.marks, LENGTH: chunk.lengths}


def _schema(pyarrow: Any, dataset: Dataset) -> Any:
    """The columns as the first sample has them."""
    algorithm = algorithms.get(dataset.algorithm)
    facts, hints = _facts(algorithm), {probe.name for probe in algorithm.hints}
    fields = []
    for name, array in _values(dataset[:1]).items():
        kind = pyarrow.from_numpy_dtype(array.dtype)
        axes = array.shape[1:]
        for size in reversed(axes[1:] if name in hints else axes):
            kind = pyarrow.list_(kind, size)
        kind = pyarrow.list_(kind) if name in hints else kind
        fields.append(pyarrow.field(name, kind, nullable=False, metadata=facts.get(name)))
    words = (
        f"{algorithm.name}: instances, answers{' and hints' if hints and dataset.has_hints else ''} of the algorithm"
    )
    description = {"narlab": dataset.description.to_json(), "narlab_version": narlab.__version__, "description": words}
    return pyarrow.schema(fields, metadata=description)


def _facts(algorithm: Algorithm) -> dict[str, dict[str, str]]:
    """What a column's metadata says of its probe."""
    return {
        probe.name: {"stage": str(probe.stage), "location": str(probe.location), "type": str(probe.type)}
        for probe in algorithm.probes
    }


def _column(pyarrow: Any, field: Any, chunk: Dataset) -> Any:
    """The values of a column as nested lists, whose innermost numbers lie in one piece."""
    array = _values(chunk)[field.name]
    is_hint = field.metadata is not None and field.metadata.get(b"stage") == str(Stage.HINT).encode()
    if not is_hint:
        return _nested(pyarrow, array, array.shape[1:])
    rows = np.arange(array.shape[1]) < chunk.lengths[:, None]  # [count, T]
    offsets = np.concatenate([[0], np.cumsum(chunk.lengths)]).astype(np.int32)
    return pyarrow.ListArray.from_arrays(offsets, _nested(pyarrow, array[rows], array.shape[2:]))


def _nested(pyarrow: Any, array: np.ndarray, axes: tuple[int, ...]) -> Any:
    """Fixed-size lists along `axes`."""
    found = pyarrow.array(np.ascontiguousarray(array).ravel())
    for size in reversed(axes):
        found = pyarrow.FixedSizeListArray.from_arrays(found, size)
    return found
