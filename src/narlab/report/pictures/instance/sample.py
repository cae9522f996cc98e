"""What a picture shows: one sample, and a prediction where there is one."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from narlab.algorithms.engine import Algorithm
from narlab.algorithms.engine.validity import Defect
from narlab.algorithms.engine.values import indices
from narlab.common.errors import UsageError
from narlab.specs import Location, Probe, Type

Arrays = Mapping[str, np.ndarray]


class Verdict(Enum):
    """What became of an element that may be marked."""

    PLAIN = "neither marked nor predicted"
    RIGHT = "marked, and predicted where there is a prediction"
    WRONG = "predicted, but not marked"
    MISSED = "marked, but not predicted"


@dataclass(frozen=True)
class Sample:
    """One sample, by probe name and without a batch axis; `predicted` has the outputs' form.

    `defects` are those of the prediction: none if it is valid, and None if nobody has judged it.
    Without `shows_right` a picture of a graph leaves out what is right, and the edges behind it.
    """

    algorithm: Algorithm
    inputs: Arrays
    outputs: Arrays
    predicted: Arrays | None = None
    defects: tuple[Defect, ...] | None = None
    shows_right: bool = True

    def __post_init__(self) -> None:
        self._check(self.algorithm.inputs, self.inputs, "input")
        self._check(self.algorithm.outputs, self.outputs, "output")
        if self.predicted is not None:
            self._check(self.algorithm.outputs, self.predicted, "prediction of")

    def _check(self, probes: tuple[Probe, ...], arrays: Arrays, what: str) -> None:
        nodes = np.shape(self.inputs.get("pos", ()))[:1] or (0,)
        for name in arrays:
            if name not in {probe.name for probe in probes}:
                raise UsageError(f"{self.algorithm.name} has no {what} {name!r}")
        for probe in probes:
            if probe.name not in arrays:
                raise UsageError(f"{self.algorithm.name} misses the {what} {probe.name!r}")
            expected, got = probe.shape(nodes[0]), np.shape(arrays[probe.name])
            if got != expected:
                raise UsageError(f"{what} {probe.name!r} must have shape {list(expected)}, got {list(got)}")

    @cached_property
    def nodes(self) -> int:
        return len(self.inputs["pos"])

    @property
    def is_predicted(self) -> bool:
        return self.predicted is not None

    @property
    def defective_nodes(self) -> list[int]:
        return sorted({int(v) for defect in self.defects or () for v in defect.nodes})

    @property
    def defective_edges(self) -> list[tuple[int, int]]:
        """Arcs of a graph; where the output is a table of pairs without a graph, its cells."""
        return sorted({(int(u), int(v)) for defect in self.defects or () for u, v in defect.edges})

    def given(self, name: str) -> np.ndarray:
        """An input, with classes and one-hot codes as indices."""
        return _indices(self._probe(self.algorithm.inputs, name), self.inputs[name])

    def true(self, name: str) -> np.ndarray:
        """An output, with classes and one-hot codes as indices; -1 where an entry is masked."""
        return _indices(self._probe(self.algorithm.outputs, name), self.outputs[name])

    def shown(self, name: str) -> np.ndarray:
        """What is drawn of an output: the prediction where there is one, else the output itself."""
        if self.predicted is None:
            return self.true(name)
        predicted = _indices(self._probe(self.algorithm.outputs, name), self.predicted[name])
        return np.where(self.true(name) == -1, -1, predicted)

    def right(self, name: str) -> np.ndarray:
        """Where what is drawn is the truth."""
        return self.shown(name) == self.true(name)

    def called(self, name: str) -> str:
        """An output in a title."""
        return f"prediction of {name}" if self.is_predicted else f"output {name}"

    def score(self) -> tuple[int, int]:
        """How many elements of all outputs are right, and how many there are."""
        counted = [(self.right(probe.name), self.true(probe.name) != -1) for probe in self.algorithm.outputs]
        return sum(int((right & real).sum()) for right, real in counted), sum(int(real.sum()) for _, real in counted)

    def verdicts(self, name: str) -> np.ndarray:
        """The verdict of every element of a mask."""
        return verdicts(self.true(name) == 1, self.shown(name) == 1)

    @staticmethod
    def _probe(probes: tuple[Probe, ...], name: str) -> Probe:
        return next(probe for probe in probes if probe.name == name)


def verdicts(true: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """The verdict of every element, from two masks of the same shape."""
    table = np.array([[Verdict.PLAIN, Verdict.WRONG], [Verdict.MISSED, Verdict.RIGHT]])
    return table[np.asarray(true, int), np.asarray(shown, int)]


def _indices(probe: Probe, values: np.ndarray) -> np.ndarray:
    values = indices(probe, np.asarray(values))
    if probe.type is Type.MASK:
        return np.where(values == -1, -1, values > 0.5).astype(int)
    return values.astype(int) if probe.type is Type.POINTER else values


def has(sample: Sample, location: Location, kind: Type) -> str | None:
    """The name of the output with this location and type, if there is one."""
    return next((p.name for p in sample.algorithm.outputs if p.location is location and p.type is kind), None)
