"""Features of pairs that are made of the inputs once, before the first step, one file each.

A state that is normalised at each step can't tell two sums that differ in the third digit. So what has to be compared
exactly is computed beside it: learned values of the inputs go through an algebra (paths, sums of intervals, areas), are
never normalised, and what comes out is not the values, whose size changes with the graph's, but how far each pair is
from the best, at several sharpnesses. They join the edge features, so that every processor and readout sees them.

A file holds a class `PairFeatures`, an `AbstractPairFeatures`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import softsign

from narlab.common.catalogue import Catalogue
from narlab.common.errors import UsageError
from narlab.models.batch import Batch
from narlab.models.closure import LEARNING_SPEED
from narlab.models.encoders import EdgeFeatures, Features, pair_inputs
from narlab.models.topology import Graphs, order_relations

__all__ = ["CATALOGUE", "AbstractPairFeatures", "JoinedPairFeatures", "PairInputs", "get", "names", "names_of"]

SHARPNESSES = (8.0, 64.0)
FAR = 4.0  # a gap beyond this counts as this


@dataclass(frozen=True)
class PairInputs:
    """What pair features are made of: what the probes say of each pair [B, N, N, D], whether i is before j in the order
    of the nodes [B, N, N], and the `edges` [B, N, N] of the task's graph, if it has one. With `kernels` compiled code
    may be used."""

    values: Tensor
    before: Tensor
    kernels: bool = False
    edges: Tensor | None = None


class AbstractPairFeatures(nn.Module, ABC):
    """Some features of pairs, made of the inputs; `width` says how many. It is made with the width D of the inputs."""

    width: ClassVar[int]

    @abstractmethod
    def forward(self, inputs: PairInputs) -> Tensor:
        """The features, [B, N, N, width]."""


def sharpened(gap: Tensor) -> Tensor:
    """A gap as it is, but no larger than 4, and as tanh of 8 and of 64 times it: three features of each.

    Backward, tanh has the slope 1 / (1 + |g|)^2: its own would be 64 at a gap of 0 and nothing a little further.
    """
    soft = softsign(gap)
    slope = soft - soft.detach()
    sharp = [torch.tanh(sharpness * gap.detach()) + slope for sharpness in SHARPNESSES]
    return torch.cat([gap.clamp(-FAR, FAR), *sharp], -1)


class JoinedPairFeatures(nn.Module):
    """Several of them, by their names: each feature has a learned share, and a map joins them to the edge features.

    Shares begin at 0. What a task has no use for stays near it, where Adam would move every weight of a map at random.
    """

    def __init__(self, names: Sequence[str], hidden: int) -> None:
        super().__init__()
        self.parts = nn.ModuleList([get(name)(hidden) for name in names])
        width = sum(get(name).width for name in names)
        self.share = nn.Parameter(torch.zeros(width))
        self.to_edge = nn.Linear(width, hidden)

    def forward(self, features: Features, batch: Batch, graphs: Graphs, *, kernels: bool = False) -> Features:
        """The features with what is made of them."""
        edges = graphs.adjacency if graphs.given else None
        inputs = PairInputs(pair_inputs(features), order_relations(batch.inputs)[..., 0], kernels, edges)
        made = torch.cat([part(inputs) for part in self.parts], -1)  # [B, N, N, K]
        weight = self.to_edge.weight * (LEARNING_SPEED * self.share)
        return replace(features, edge=features.edge + EdgeFeatures(made, weight, self.to_edge.bias))


def _is_pair_features(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, AbstractPairFeatures)


CATALOGUE = Catalogue(
    kind="pair features",
    folder="narlab.models.pair_features",
    attribute="PairFeatures",
    group="narlab.pair_features",
    accepts=_is_pair_features,
    wanted="a name, package.module:Name or a subclass of AbstractPairFeatures",
)
names = CATALOGUE.names
name_of = CATALOGUE.name_of


def get(pair_features: str | type[AbstractPairFeatures]) -> type[AbstractPairFeatures]:
    """The class of the pair features of that name; a class is its own.

    >>> get("areas").width
    24
    """
    return CATALOGUE.get(pair_features)


def names_of(things: Sequence[str | type[AbstractPairFeatures]]) -> tuple[str, ...]:
    """The names of several, none of them twice.

    >>> names_of(["areas"])
    ('areas',)
    """
    if isinstance(things, str) or not isinstance(things, Sequence):
        raise UsageError(f"pair_features must be a list of names, such as ['potentials'], got {things!r}")
    found = tuple(map(name_of, things))
    for k, name in enumerate(found):
        get(name)
        if name in found[:k]:
            raise UsageError(f"pair_features has {name!r} twice; name it once")
    return found
