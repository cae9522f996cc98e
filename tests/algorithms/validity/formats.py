"""Answers as numbers: a vector of choices, one per element of the outputs, so that answers can be counted."""

from collections.abc import Sequence
from itertools import combinations, product
from math import prod

import numpy as np

from narlab.algorithms.engine import Algorithm
from narlab.specs import Probe, Type

Arrays = dict[str, np.ndarray]


class Format:
    """The outputs of an algorithm at `nodes` nodes.

    An element is a pointer or a bit at a node, a pair or the graph, a category, or a marked node. Categories and bits
    that the benchmark masks are read as the blank category and as 0.
    """

    def __init__(self, algorithm: Algorithm, nodes: int) -> None:
        self.probes, self.nodes = algorithm.outputs, nodes
        self.choices = np.concatenate([np.full(self._size(probe), self._choices(probe)) for probe in self.probes])

    def _choices(self, probe: Probe) -> int:
        """How many values an element has."""
        return {Type.MASK: 2, Type.CATEGORICAL: probe.categories}.get(probe.type, self.nodes)

    def _size(self, probe: Probe) -> int:
        """How many elements the probe has."""
        return prod(probe.shape(self.nodes)) // (self._choices(probe) if is_one_hot(probe) else 1)

    def outputs(self, codes: np.ndarray) -> Arrays:
        """The outputs [count, ...] of the answers `codes` [count, elements]."""
        found, start = {}, 0
        for probe in self.probes:
            part = codes[:, start : start + self._size(probe)]
            values = part[..., None] == np.arange(self._choices(probe)) if is_one_hot(probe) else part
            found[probe.name] = values.reshape(len(codes), *probe.shape(self.nodes)).astype(probe.dtype)
            start += self._size(probe)
        return found

    def codes(self, outputs: Arrays) -> np.ndarray:
        """The answers [count, elements] that `outputs` [count, ...] are."""
        parts = []
        for probe in self.probes:
            array = outputs[probe.name]
            values = np.abs(array).argmax(-1) if is_one_hot(probe) else np.maximum(array, 0)
            parts.append(values.reshape(len(array), -1))
        return np.concatenate(parts, axis=1).astype(np.int64)

    def every(self, base: np.ndarray | None = None, free: Sequence[int] | None = None) -> np.ndarray:
        """All answers; if `free` says which elements, all that differ from `base` [elements] in no others."""
        free = range(len(self.choices)) if free is None else free
        columns = np.indices(self.choices[list(free)], dtype=np.int16).reshape(len(free), -1).T
        if base is None:
            return columns
        codes = np.repeat(base[None], len(columns), axis=0)
        codes[:, free] = columns
        return codes

    def near(self, base: np.ndarray) -> np.ndarray:
        """`base` [elements] and all answers that differ from it in one element or in two."""
        found = [base]
        elements = range(len(self.choices))
        for changed in [*combinations(elements, 1), *combinations(elements, 2)]:
            others = [[value for value in range(self.choices[k]) if value != base[k]] for k in changed]
            for values in product(*others):
                answer = base.copy()
                answer[list(changed)] = values
                found.append(answer)
        return np.array(found)

    def mutated(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Each answer of `codes` [count, elements] with one element changed at random."""
        changed, rows = codes.copy(), np.arange(len(codes))
        elements = rng.choice(np.flatnonzero(self.choices > 1), len(codes))
        shift = 1 + (rng.random(len(codes)) * (self.choices[elements] - 1)).astype(np.int64)
        changed[rows, elements] = (codes[rows, elements] + shift) % self.choices[elements]
        return changed


def is_one_hot(probe: Probe) -> bool:
    return probe.type in (Type.MASK_ONE, Type.CATEGORICAL)
