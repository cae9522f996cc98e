"""The processors, one file each.

A file holds a class `Processor`, an `AbstractProcessor`, with
- facts: which pairs it sees, the width and the batch size that it is used with, its kernel if it has one;
- `prepare(features, topology)`, which does everything that does not change between steps;
- `step(state, prepared)`, which does one step.

A hybrid is made of two other processors, and may name them: `hybrid_average:mpnn_g+two_wl`, or with processors of other
packages `hybrid_average:mpnn_g+my_package.mine:Mine`. Its file has `share`, the rule that joins them.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from torch import nn

from narlab.common import lazily
from narlab.common.catalogue import Catalogue, Origin, is_import_text
from narlab.common.errors import UsageError
from narlab.models.encoders import Features
from narlab.models.kernels import AbstractKernel
from narlab.models.topology import State, Topology, VisiblePairs

if TYPE_CHECKING:
    from narlab.models.processors._hybrid import Hybrid
else:
    __getattr__ = lazily(__name__, {"Hybrid": "narlab.models.processors._hybrid:Hybrid"})

__all__ = [
    "CATALOGUE",
    "AbstractProcessor",
    "Facts",
    "Hybrid",
    "Memory",
    "VisiblePairs",
    "facts",
    "get",
    "make",
    "name_of",
    "names",
    "origins",
    "parts",
]
EXAMPLE = "hybrid_average:mpnn_g+two_wl"


class Memory(StrEnum):
    """What a processor's step without a kernel needs memory for."""

    PAIRS = "all pairs of nodes"
    TRIPLES = "all triples of nodes"


@dataclass(frozen=True)
class Facts:
    """What follows from the choice of a processor; see `AbstractProcessor`."""

    width: int
    batch_size: int
    pairs: VisiblePairs
    memory: Memory
    width_multiple: int = 1


class AbstractProcessor(nn.Module, ABC):
    """A recurrent step over the state of a batch of graphs; made by `Processor(hidden)`, a hybrid also of its parts.

    A class says by itself what follows from it: `default_width` and `batch_size` are those of models and of training
    where none are given, `width_multiple` what a width must be a multiple of, `pairs` the pairs of nodes that it sees,
    `memory` what a step needs memory for, `parts` the names of the processors that it is made of if none are given, and
    `kernel` what does exactly its steps in compiled code, if anything does. With `has_pair_state` the state of pairs is
    its own work, not only passed through; `pair_width` is the width of `State.pairs`.
    """

    default_width: ClassVar[int] = 128
    width_multiple: ClassVar[int] = 1
    batch_size: ClassVar[int] = 32
    pairs: VisiblePairs = VisiblePairs.GRAPH
    memory: Memory = Memory.PAIRS
    parts: ClassVar[tuple[str, ...]] = ()
    kernel: ClassVar[type[AbstractKernel] | None] = None
    has_pair_state: bool = False
    pair_width: int = 0

    @classmethod
    def facts(cls, *parts: Facts) -> Facts:
        """What follows from this class and from the facts of its parts."""
        return Facts(cls.default_width, cls.batch_size, cls.pairs, cls.memory, cls.width_multiple)

    @abstractmethod
    def prepare(self, features: Features, topology: Topology) -> Any:
        """Everything that does not change between steps."""

    @abstractmethod
    def step(self, state: State, prepared: Any) -> State:
        """The next state, with what `prepare` has made."""

    def steps(self, state: State, prepared: Any, count: int) -> tuple[State, State]:
        """The last two states after some steps."""
        before = state
        for _ in range(count):
            before, state = state, self.step(state, prepared)
        return before, state


Choice = str | type[AbstractProcessor]


def _is_processor(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, AbstractProcessor)


CATALOGUE = Catalogue(
    kind="processor",
    folder="narlab.models.processors",
    attribute="Processor",
    group="narlab.processors",
    accepts=_is_processor,
    wanted="a name, package.module:Name or a subclass of AbstractProcessor",
)
names = CATALOGUE.names
name_of = CATALOGUE.name_of


def get(processor: Choice) -> type[AbstractProcessor]:
    """The class of a processor; of a hybrid that names its parts, the hybrid's.

    >>> get("mpnn_g").batch_size, get("hybrid_average:pgn+gat").batch_size
    (32, 16)
    """
    return _resolved(processor)[0]


def make(processor: Choice, hidden: int) -> AbstractProcessor:
    """A new processor of width `hidden` with random weights."""
    kind, named = _resolved(processor)
    return kind(hidden, *(make(part, hidden) for part in named))


def facts(processor: Choice) -> Facts:
    """What follows from the choice of a processor.

    >>> facts("hybrid_average:mpnn_fc+mpnn_fc").pairs
    <VisiblePairs.ALL: 'all pairs'>
    """
    kind, named = _resolved(processor)
    return kind.facts(*map(facts, named))


def parts(processor: Choice) -> tuple[str, ...]:
    """The names of what a hybrid is made of; other processors have no parts."""
    return _resolved(processor)[1]


def origins(processor: str) -> tuple[Origin, ...]:
    """The packages from outside that a processor and its parts come from."""
    kind, listed = _split(processor)
    named = () if listed is None else parts(processor)
    found = (CATALOGUE.origin(name) for name in (kind, *named))
    return tuple(dict.fromkeys(origin for origin in found if origin is not None))


def _resolved(processor: Choice) -> tuple[type[AbstractProcessor], tuple[str, ...]]:
    """The class of a processor, and the names of its parts if it is a hybrid."""
    if not isinstance(processor, str):
        kind = CATALOGUE.get(processor)
        return kind, kind.parts
    name, listed = _split(processor)
    kind = CATALOGUE.get(name)
    if listed is None:
        return kind, kind.parts
    if not kind.parts:
        raise UsageError(f"processor {name!r} has no parts; only a hybrid has, such as {EXAMPLE}")
    named = tuple(listed.split("+"))
    if len(named) != len(kind.parts):
        raise UsageError(f"a hybrid has two parts, such as {name}:mpnn_g+two_wl, got {processor!r}")
    if any(get(part).parts for part in named):
        raise UsageError(f"a hybrid is made of two simple processors, got {processor!r}")
    return kind, named


def _split(text: str) -> tuple[str, str | None]:
    """The name of a processor, which may be `package.module:Name`, and the list of its parts if it has one."""
    name, colon, rest = text.partition(":")
    if name in CATALOGUE.names() or not colon:
        return name, rest if colon else None
    second, more, listed = rest.partition(":")
    if is_import_text(f"{name}:{second}"):
        return f"{name}:{second}", listed if more else None
    return name, rest
