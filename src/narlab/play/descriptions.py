"""What the page must know of an algorithm: its probes, and how instances and answers are drawn."""

from typing import Any

from narlab import algorithms
from narlab.algorithms.engine import Algorithm
from narlab.specs import Location, Probe, Type


def describe(name: str) -> dict[str, Any]:
    """An algorithm in the page's words.

    >>> about = describe("bfs")
    >>> about["picture"], about["answer"], about["directed"]
    ('graph', 'parents', False)
    """
    algorithm = algorithms.get(name)
    return {
        "name": name,
        "family": algorithm.family.replace("_", " "),
        "picture": picture_of(algorithm),
        "answer": answer_of(algorithm),
        "directed": bool(getattr(algorithm.sampler, "directed", False)),
        "smallest": algorithm.smallest,
        "valid": algorithm.validity.rule if algorithm.validity is not None else "",
        "probes": [_of_probe(probe) for probe in algorithm.probes],
    }


def _of_probe(probe: Probe) -> dict[str, Any]:
    return {
        "name": probe.name,
        "stage": str(probe.stage),
        "location": str(probe.location),
        "type": str(probe.type),
        "categories": probe.categories,
        "integer": probe.dtype != "float64",
    }


def picture_of(algorithm: Algorithm) -> str:
    """How an instance is drawn, by the inputs that there are."""
    names = {probe.name for probe in algorithm.inputs}
    if algorithm.has_graph:
        return "graph"
    if "string" in names:
        return "strings"
    if {"x", "y"} <= names:
        return "points"
    return "intervals" if {"s", "f"} <= names else "bars"


def answer_of(algorithm: Algorithm) -> str:
    """How an answer is drawn, by the outputs that there are.

    >>> [answer_of(algorithms.get(name)) for name in ("quicksort", "floyd_warshall", "topological_sort", "mst_kruskal")]
    ['chain', 'table', 'order', 'edges']
    """
    kinds = {(probe.location, probe.type) for probe in algorithm.outputs}
    if kinds & {(Location.EDGE, Type.POINTER), (Location.EDGE, Type.CATEGORICAL)}:
        return "table"
    if (Location.EDGE, Type.MASK) in kinds:
        return "edges"
    if (Location.NODE, Type.POINTER) not in kinds:
        return "value" if (Location.GRAPH, Type.MASK) in kinds else "marks"
    if not algorithm.has_graph:
        return "chain"
    if (Location.NODE, Type.MASK_ONE) in kinds:
        return "order"
    return "groups" if algorithm.outputs[0].name.endswith("_id") else "parents"
