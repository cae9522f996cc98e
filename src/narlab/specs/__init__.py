"""The vocabulary of the benchmark: stages, locations and types, and probes, which have one of each."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from narlab.common.errors import UsageError

__all__ = ["Location", "Probe", "Stage", "Type"]


class Stage(StrEnum):
    """When a probe is seen."""

    INPUT = "input"
    OUTPUT = "output"
    HINT = "hint"


class Location(StrEnum):
    """What a probe's values belong to."""

    NODE = "node"
    EDGE = "edge"
    GRAPH = "graph"


class Type(StrEnum):
    """What a probe's values mean."""

    SCALAR = "scalar"
    CATEGORICAL = "categorical"
    MASK = "mask"
    MASK_ONE = "mask_one"
    POINTER = "pointer"


NARROW = {Type.SCALAR: "float64", Type.POINTER: "int16"}  # masks and one-hots: int8


@dataclass(frozen=True, slots=True)
class Probe:
    """One named array of an algorithm.

    `dtype` is the smallest dtype that holds every value exactly, the one that narlab computes and stores in;
    `benchmark_dtype` is the one of the benchmark's own arrays. A `permutation` is a pointer that dm-clrs 2 declares
    `should_be_permutation`; its values are those of a plain pointer, and so is its type here, as in the paper.
    """

    name: str
    stage: Stage
    location: Location
    type: Type
    categories: int = 0
    permutation: bool = False
    dtype: str = ""
    benchmark_dtype: str = ""

    def __post_init__(self) -> None:
        if (self.type is Type.CATEGORICAL) != (self.categories > 0):
            raise UsageError(f"probe {self.name!r}: a categorical probe, and only such a one, has categories")
        if not self.dtype:
            object.__setattr__(self, "dtype", NARROW.get(self.type, "int8"))
        if not self.benchmark_dtype:
            pointer = self.stage is Stage.OUTPUT and self.location is Location.NODE and self.type is Type.POINTER
            object.__setattr__(self, "benchmark_dtype", "int64" if pointer else "float64")

    @classmethod
    def input(cls, name: str, location: Location, type: Type, **facts: Any) -> "Probe":
        """A probe that the algorithm is given."""
        return cls(name, Stage.INPUT, location, type, **facts)

    @classmethod
    def output(cls, name: str, location: Location, type: Type, **facts: Any) -> "Probe":
        """A probe that the algorithm answers with."""
        return cls(name, Stage.OUTPUT, location, type, **facts)

    @classmethod
    def hint(cls, name: str, location: Location, type: Type, **facts: Any) -> "Probe":
        """A probe that is recorded at every step."""
        return cls(name, Stage.HINT, location, type, **facts)

    def shape(self, nodes: int) -> tuple[int, ...]:
        """The shape of one value on a graph of `nodes` nodes, without batch and time."""
        axes = {Location.NODE: (nodes,), Location.EDGE: (nodes, nodes), Location.GRAPH: ()}[self.location]
        return axes + ((self.categories,) if self.categories else ())
