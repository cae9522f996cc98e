"""One sample of a data set, in a form that PyTorch's `DataLoader` can put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from narlab.data.generation import Arrays

if TYPE_CHECKING:
    from narlab.data.dataset import Dataset


class Sample(NamedTuple):
    """The probes of one instance by name, without a batch axis; `hints` [T, ...] is empty where none were asked for.

    `length` is the number of rows of hints that the instance itself has, `algorithm` the name of what it is one of.
    """

    algorithm: str
    inputs: Arrays
    outputs: Arrays
    hints: Arrays
    length: int


def samples_of(dataset: Dataset) -> list[Sample]:
    """All samples of a data set, one by one; hints are padded to the longest."""
    hints = dataset.hints if dataset.has_hints else {}

    def of(arrays: Arrays, k: int) -> Arrays:
        return {name: array[k] for name, array in arrays.items()}

    return [
        Sample(dataset.algorithm, of(dataset.inputs, k), of(dataset.outputs, k), of(hints, k), int(length))
        for k, length in enumerate(dataset.lengths)
    ]
