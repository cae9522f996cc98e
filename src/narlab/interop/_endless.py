"""Batches without an end, made ahead of time on several cores."""

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from narlab.algorithms.engine import Algorithm
from narlab.algorithms.sampling import block_size
from narlab.common.machine import cores
from narlab.data import Description, generation
from narlab.data.generation import Arrays, Samples
from narlab.interop._feedback import Form, Portion
from narlab.interop._wide import WideExecution

__all__ = ["Endless"]

MOST_THREADS = 4
PORTION = 2**24  # bytes of samples that are made at once
LARGEST_BATCH = 2**25  # bytes of a batch that is made in one piece
FEW = 32  # samples that say how large one is


class Endless:
    """The samples of a description one after the other, in batches of any sizes."""

    def __init__(self, algorithm: Algorithm, description: Description, form: Form) -> None:
        self._algorithm, self._description, self._form = algorithm, description, form
        self._threads = min(MOST_THREADS, cores())
        self._execution = WideExecution(algorithm, most_pieces=4 * self._threads)
        few = self._execution(self._first(FEW), 0)
        self._sample_size = few.nbytes // FEW
        self._nothing = Portion(form, few[np.arange(0)])
        self._count = 0  # of samples that have been taken
        self._begin()

    def _begin(self) -> None:
        """Go on with nothing made ahead."""
        self._process = os.getpid()
        self._pieces: Iterator[Samples] | None = None
        self._portion, self._used = self._nothing, 0

    def _first(self, count: int) -> Arrays:
        of = self._description
        return self._algorithm.sample_range(of.n, 0, count, seed=of.seed, **generation.options(of))

    def longest(self, count: int) -> int:
        """The longest trajectory of the first samples."""
        return int(self._execution.lengths(self._first(count)).max())

    def next(self, count: int, rows: int) -> Any:
        """The next batch; its hints have as many rows as its longest trajectory, and at least `rows`."""
        if self._process != os.getpid():  # a fork has no threads
            self._begin()
        self._execution.rows = rows
        portion, start = self._portion, self._used
        if start + count <= len(portion):
            self._used += count
        else:
            portion, start = self._refilled(count), 0
        self._count += count
        if portion.longest > rows:
            rows = max(rows, int(portion.samples.lengths[start : start + count].max()))
        if portion.rows < rows:  # made before so many were asked for
            samples = _with_rows(portion.samples[start : start + count], rows)
            portion, start = Portion(self._form, samples), 0
        return portion.feedback(start, start + count, rows)

    def _refilled(self, count: int) -> Portion:
        """A portion that begins with the next `count` samples, of which the one at hand has too few."""
        if self._pieces is None:
            self._pieces = self._stream(count)
        parts = [(self._portion, slice(self._used, None))] if self._used < len(self._portion) else []
        missing = count - (len(self._portion) - self._used)
        while missing:
            self._portion = Portion(self._form, next(self._pieces))
            self._used = min(missing, len(self._portion))
            parts.append((self._portion, slice(self._used)))
            missing -= self._used
        if len(parts) == 1:
            return self._portion
        return Portion(self._form, _joined([portion.samples[part] for portion, part in parts]))

    def _stream(self, count: int) -> Iterator[Samples]:
        """All samples that are left, made in pieces, if possible of whole batches of `count`."""
        of = self._description
        size = max(1, min(PORTION // self._sample_size, block_size(of.n)))
        if size >= count:
            size -= size % count
        elif count * self._sample_size <= LARGEST_BATCH:
            size = count
        execute, threads = self._execution, self._threads
        return generation.stream(of, self._count, of.count, size, threads=threads, execute=execute)


def _joined(parts: list[Samples]) -> Samples:
    """Samples one behind the other; their hints get as many rows as the most that a part has."""
    rows = max(array.shape[1] for part in parts for array in (part.hints or {}).values())
    longer = [_with_rows(part, rows) for part in parts]

    def together(stages: list[Arrays]) -> Arrays:
        return {name: np.concatenate([stage[name] for stage in stages]) for name in stages[0]}

    return Samples(
        together([part.inputs for part in parts]),
        together([part.outputs for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        together([part.hints or {} for part in longer]),
    )


def _with_rows(samples: Samples, count: int) -> Samples:
    """Samples whose hints have at least `count` rows, with zeros behind those that there were."""

    def longer(rows: np.ndarray) -> np.ndarray:
        missing = max(0, count - rows.shape[1])
        return np.pad(rows, [(0, 0), (0, missing)] + (rows.ndim - 2) * [(0, 0)]) if missing else rows

    hints = {name: longer(rows) for name, rows in (samples.hints or {}).items()}
    return Samples(samples.inputs, samples.outputs, samples.lengths, hints)
