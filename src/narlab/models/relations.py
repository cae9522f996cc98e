"""Inputs as relations of pairs: what the inputs say about nodes i and j together, relative to the graph alone.

With relations a model is told no other inputs and no random features: they are one edge probe, K numbers per pair. It
holds nothing that the inputs don't, but differences and comparisons need not be learnt, and no number depends on scale.
"""

from collections.abc import Iterator
from functools import cached_property

import torch
from torch import Tensor

from narlab.algorithms.engine import Algorithm
from narlab.common.errors import UsageError
from narlab.models.batch import Tensors
from narlab.models.encoders import as_one_hot
from narlab.specs import Location, Probe, Type

NAME = "relations"
SMALLEST_SCALE = 1e-6  # where all values of a graph are 0


def probe_of(algorithm: Algorithm) -> Probe | None:
    """The edge probe that stands for the inputs of `algorithm` other than `pos`; `None` if there are none."""
    nothing = {
        probe.name: torch.zeros((1, *probe.shape(1)), dtype=torch.int64 if probe.type is Type.POINTER else None)
        for probe in algorithm.inputs
    }
    width = len(list(_Relations(algorithm, nothing)))
    return Probe.input(NAME, Location.EDGE, Type.CATEGORICAL, categories=width) if width else None


def values_of(algorithm: Algorithm, inputs: Tensors) -> Tensor:
    """The relations [B, N, N, K] of a batch's inputs, in the order of the probes.

    >>> import narlab
    >>> values_of(narlab.algorithms.get("minimum"), {"pos": torch.tensor([[0, 0.5]]), "key": torch.tensor([[1, 4.0]])})
    tensor([[[[ 0.2500,  0.2500,  0.0000,  0.0000,  0.0000],
              [ 0.2500,  1.0000,  0.7500,  1.0000,  0.0000]],
    <BLANKLINE>
             [[ 1.0000,  0.2500, -0.7500,  0.0000,  1.0000],
              [ 1.0000,  1.0000,  0.0000,  0.0000,  0.0000]]]])
    """
    found = list(_Relations(algorithm, inputs))
    graphs, nodes = inputs["pos"].shape
    return torch.stack(found, -1) if found else inputs["pos"].new_zeros(graphs, nodes, nodes, 0)


class _Relations:
    """The relations of a batch, each [B, N, N]; (i, j) is at row i, column j."""

    def __init__(self, algorithm: Algorithm, inputs: Tensors) -> None:
        self.inputs, self.size = inputs, inputs["pos"].shape
        self.probes = tuple(probe for probe in algorithm.inputs if probe.name != "pos")
        self.scalars = [probe for probe in self.probes if (probe.location, probe.type) == (Location.NODE, Type.SCALAR)]

    def __iter__(self) -> Iterator[Tensor]:
        of_location = {Location.NODE: self._of_node, Location.EDGE: self._of_edge, Location.GRAPH: self._of_graph}
        for probe in self.probes:
            yield from of_location[probe.location](probe)

    @cached_property
    def scale(self) -> Tensor:
        """The largest |value| of each graph's real node scalars, 1 if it has none: [B, 1]."""
        real = [self.inputs[probe.name] for probe in self.scalars if _is_real(probe)]
        if not real:
            return self.inputs["pos"].new_ones(self.size[0], 1)
        return torch.cat(real, 1).abs().amax(1, keepdim=True).clamp_min(SMALLEST_SCALE)

    def _of_node(self, probe: Probe) -> Iterator[Tensor]:
        value = self.inputs[probe.name]
        if probe.type is Type.SCALAR:
            yield from self._of_scalar(probe)
        elif probe.type is Type.POINTER:
            pointed = as_one_hot(value, self.size[1], probe)
            yield from (pointed, pointed.transpose(1, 2))
        elif probe.type is Type.CATEGORICAL:
            yield from (self._first(part) for part in value.unbind(-1))
            yield from (self._second(part) for part in value.unbind(-1))
            yield (value[:, :, None] * value[:, None]).sum(-1)
        else:
            yield from (self._first(value), self._second(value))

    def _of_scalar(self, probe: Probe) -> Iterator[Tensor]:
        """a_i, a_j and, for every scalar b of the same kind, b_j - a_i, 1[b_j > a_i], of a itself also 1[a_j < a_i]."""
        value, scale = self.inputs[probe.name], self.scale if _is_real(probe) else self.size[1]
        own, scaled = self._first(value), self._first(value / scale)
        yield from (scaled, self._second(value / scale))
        for other in self.scalars:
            if _is_real(other) is not _is_real(probe):
                continue
            others = self._second(self.inputs[other.name])
            yield self._second(self.inputs[other.name] / scale) - scaled
            yield (others > own).float()
            if other is probe:
                yield (others < own).float()

    def _of_edge(self, probe: Probe) -> Iterator[Tensor]:
        """At (i, j) and at (j, i)."""
        if probe.type is Type.POINTER:
            raise UsageError(f"relations can't show the input {probe.name!r}, a pointer of edges; use relations=False")
        value = self.inputs[probe.name]
        for part in value.unbind(-1) if probe.categories else (value,):
            yield from (part, part.transpose(1, 2))

    def _of_graph(self, probe: Probe) -> Iterator[Tensor]:
        """Of a scalar g: g, and for each real node scalar a: a_i - g, a_j - g, 1[a_i > g], 1[a_j > g]."""
        value = self.inputs[probe.name]
        if probe.type is not Type.SCALAR:
            yield from (self._everywhere(part) for part in (value.unbind(-1) if probe.categories else (value,)))
            return
        yield self._everywhere(value / self.scale[:, 0])
        for scalar in filter(_is_real, self.scalars):
            beyond = self.inputs[scalar.name] - value[:, None]  # [B, N]
            for part in (beyond / self.scale, (beyond > 0).float()):
                yield from (self._first(part), self._second(part))

    def _first(self, value: Tensor) -> Tensor:
        return value[:, :, None].expand(-1, -1, self.size[1])

    def _second(self, value: Tensor) -> Tensor:
        return value[:, None].expand(-1, self.size[1], -1)

    def _everywhere(self, value: Tensor) -> Tensor:
        return value[:, None, None].expand(-1, self.size[1], self.size[1])


def _is_real(probe: Probe) -> bool:
    return not probe.benchmark_dtype.startswith("int")
