"""The vocabulary of the benchmark: stages, locations and types, and probes, which have one of each."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from narlab.common.errors import UsageError

__all__ = ["Location", "Meaning", "Probe", "Stage", "Type"]


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
    `meaning` tells people what the values say.
    """

    name: str
    stage: Stage
    location: Location
    type: Type
    categories: int = 0
    permutation: bool = False
    dtype: str = ""
    benchmark_dtype: str = ""
    meaning: str = field(default="", compare=False)

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


class Meaning:
    """What probes say that several algorithms have, in words for people; what only one has is said in its own file."""

    POS = "the node's place in the order of the nodes, i/n; ties are broken by it"
    POS_OF_STRINGS = "the letter's place in its own string, from 0 to below 1; ties are broken by it"
    KEY = "the number at this place of the array"
    STRING = "0 for letters of the first string, 1 for those of the second"
    LETTER = "the letter, one of four"
    UNWEIGHTED = "1 where an edge leads from the first node to the second, else 0"
    WEIGHTED = "the weight of the edge from the first node to the second, 0 where there is none"
    ADJ = "1 where there is an edge, and on the diagonal; it follows from A"
    SOURCE = "the node to start from"
    PARENT = "the node's parent in the tree; the root and nodes out of reach point to themselves"
    PARENT_SO_FAR = "the parent found so far; a node without one points to itself"
    SORTED = "the node before this one in sorted order; the first one points to itself"
    ORDER_SO_FAR = "the array as it is now: the node before this one; the first one points to itself"
    INDEX_ORDER = (
        "the order of the nodes, which never changes: the node before this one; the first one points to itself"
    )
    TWO_INDEX_ORDERS = "the order of the letters in each string, which never changes: the one before this one"
    COLOR = "white: not seen yet; grey: on the stack; black: done"
    DISCOVERED = "when the node was opened, in hundredths; 0 before"
    FINISHED = "when the node was closed, in hundredths; 0 before"
    LOW = "the earliest node that an edge from below this one leads to, by its time"
    STACK_LINK = "the stack of the traversal: the node under this one; itself at the bottom or off the stack"
    STACK_TOP = "the top of the stack"
    ROOT_OF_WALK = "the node that the traversal began at"
    CURRENT = "the node that is worked on"
    NEIGHBOUR = "the neighbour that is looked at"
    TIME = "the time of the traversal, in hundredths"
    TOPOLOGICAL = "the next node in topological order; the last one points to itself"
    TOPOLOGICAL_SO_FAR = "the order found so far: the next node; one without a next points to itself"
    TOPOLOGICAL_HEAD = "the first node of the order"
    TOPOLOGICAL_HEAD_SO_FAR = "the first node of the order found so far"
    IN_QUEUE = "whether the node waits in the queue"
    DONE = "whether the node is done: taken out of the queue"
    X = "the point's first coordinate"
    Y = "the point's second coordinate"
    IN_HULL = "whether the point is a corner of the convex hull"
    IN_HULL_SO_FAR = "whether the point is in the hull found so far"
    LOWEST = "the lowest point, where the hull begins"
    FIRST_OF_PART = "the first place of the part that is split now"
    LAST_OF_PART = "the last place of the part that is split now, which holds the pivot"
    SPLIT = "the place behind the keys found so far that are not above the pivot"
    SCANNED = "the place that is compared with the pivot"
