"""Samples as dm-clrs tells them: its `Feedback`s of lists of `DataPoint`s."""

from typing import Any

import clrs
import numpy as np

from narlab.algorithms.engine import Algorithm
from narlab.data.generation import Arrays, Samples
from narlab.specs import Probe

__all__ = ["Form", "Portion", "Spec"]

Spec = dict[str, tuple[str, str, str]]
DataPoint: Any = clrs.DataPoint  # its arguments are hidden from type checkers


class Form:
    """What dm-clrs says of an algorithm's probes."""

    def __init__(self, algorithm: Algorithm) -> None:
        self.spec: Spec = {
            probe.name: (str(probe.stage), str(probe.location), _type(probe)) for probe in algorithm.probes
        }
        self._dtypes = {probe.name: probe.benchmark_dtype for probe in algorithm.probes}

    def points(self, arrays: Arrays) -> list[tuple[str, str, str, np.ndarray]]:
        """What a `DataPoint` is made of, for each array."""
        return [(name, *self.spec[name][1:], array) for name, array in arrays.items()]

    def feedback(self, samples: Samples) -> Any:
        """All samples as one batch, in dm-clrs's dtypes."""

        def wide(arrays: Arrays | None) -> Arrays:
            return {name: array.astype(self._dtypes[name], copy=False) for name, array in (arrays or {}).items()}

        stages = wide(samples.inputs), wide(samples.outputs)
        portion = Portion(self, Samples(*stages, samples.lengths, wide(samples.hints)))
        return portion.feedback(0, len(portion), portion.rows)


def _type(probe: Probe) -> str:
    return "should_be_permutation" if probe.permutation else str(probe.type)


class Portion:
    """Samples in dm-clrs's dtypes, whose batches are views of them."""

    def __init__(self, form: Form, samples: Samples) -> None:
        hints = {name: rows.swapaxes(0, 1) for name, rows in (samples.hints or {}).items()}  # [T, B, ...]
        self._inputs, self._hints = form.points(samples.inputs), form.points(hints)
        self._outputs = form.points(samples.outputs)
        self._lengths = samples.lengths.astype(np.float64)
        self.samples = samples
        self.longest = int(samples.lengths.max(initial=0))
        self.rows = max((len(rows) for rows in hints.values()), default=0)

    def __len__(self) -> int:
        return len(self._lengths)

    def feedback(self, start: int, stop: int, rows: int) -> Any:
        """A batch with the first `rows` rows of hints, [T, B, ...]."""
        batch = slice(start, stop)
        of_rows = slice(rows), batch
        return clrs.Feedback(
            clrs.Features(
                [DataPoint(name, location, type_, array[batch]) for name, location, type_, array in self._inputs],
                [DataPoint(name, location, type_, array[of_rows]) for name, location, type_, array in self._hints],
                self._lengths[batch],
            ),
            [DataPoint(name, location, type_, array[batch]) for name, location, type_, array in self._outputs],
        )
