"""The processors, one file each.

A file holds a class `Processor`, an `AbstractProcessor`, with
- facts: which pairs it sees, the width and the batch size that it is used with, its kernel if it has one;
- `prepare(features, topology)`, which does everything that does not change between steps;
- `step(state, prepared)`, which does one step.

A hybrid is made of two other processors, and may name them: `hybrid_average:mpnn_g+two_wl`, or with processors of other
packages `hybrid_average:mpnn_g+my_package.mine:Mine`. Its file has `share`, the rule that joins them.
"""

from typing import TYPE_CHECKING, Any

from narlab.common import lazily
from narlab.common.catalogue import Catalogue, Origin, is_import_text
from narlab.common.errors import UsageError
from narlab.models.processors._processor import AbstractProcessor, Facts, Memory
from narlab.models.visible_pairs import VisiblePairs

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
Choice = str | type[AbstractProcessor]
EXAMPLE = "hybrid_average:mpnn_g+two_wl"


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
names, name_of = CATALOGUE.names, CATALOGUE.name_of


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
