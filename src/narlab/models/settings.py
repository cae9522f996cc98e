"""What a model is made of: as it is asked for, and with everything filled in."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from narlab import algorithms
from narlab.algorithms.engine import Algorithm
from narlab.common.errors import UsageError, check_integer, unknown
from narlab.common.machine import check_memory
from narlab.models import depth as depths
from narlab.models import hint_modes, positions, processors, readouts
from narlab.models.hint_modes import HintMode
from narlab.models.processors import Facts
from narlab.models.topology import VisiblePairs


@dataclass(frozen=True)
class ModelSettings:
    """The settings of a model, each thing by its name or as `package.module:Name`.

    `hints` is the hint mode, and `hint_names` limits the hints to a subset, `None` meaning all of them. `hidden` and
    `depth` are `None` where the processor and the hints decide. `depth` is the number of recurrent steps: a number, a
    rule of the graph's size ("n", "n/2", "4*log2(n)"), or "trajectory": each sample runs for as long as its algorithm
    did, and the model sees that length. With `relations` the inputs other than `pos` are relations of pairs of nodes.
    `pair_features` are made of the inputs once, before the first step.
    """

    algorithm: str
    processor: str = "mpnn_g"
    position: str = "random_scalar"
    hints: str = "none"
    hint_names: tuple[str, ...] | None = None
    quantiser: str | None = None
    hidden: int | None = None
    depth: int | str | None = None
    readout: str = "paper"
    relations: bool = False
    pair_features: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ResolvedSettings(ModelSettings):
    """Settings that are checked, with nothing left to be decided; made by `resolve`."""

    hidden: int
    depth: int | str

    def uses_hint(self, name: str) -> bool:
        return self.hint_names is None or name in self.hint_names


def resolve(settings: ModelSettings) -> ResolvedSettings:
    """The settings with the paper's width and depth where none are given: those of the processor; 32 steps, or the
    trajectory's with hints.

    Raises a `UsageError` for settings that name nothing or don't go together.

    >>> resolve(ModelSettings("bfs", processor="hybrid_sigmoid")).hidden
    108
    """
    algorithm = algorithms.get(settings.algorithm)
    mode = hint_modes.get(settings.hints)
    facts = processors.facts(settings.processor)
    hidden = _hidden(settings, facts)
    readouts.get(settings.readout)
    if settings.quantiser is not None:
        from narlab.models import quantisers

        quantisers.get(settings.quantiser)
    _check_position(settings, facts.pairs)
    _check_relations(settings, algorithm)
    _check_pair_features(settings)
    filled: Mapping[str, Any] = {field.name: getattr(settings, field.name) for field in fields(settings)}
    changes = {"hidden": hidden, "depth": _depth(settings, mode), "hint_names": _hint_names(settings, mode)}
    return ResolvedSettings(**{**filled, **changes})


def _hidden(settings: ModelSettings, facts: Facts) -> int:
    hidden = facts.width if settings.hidden is None else check_integer("hidden", settings.hidden, 1)
    check_memory(f"a model of hidden={hidden}", 4 * hidden * hidden, "take a smaller width")
    if hidden % facts.width_multiple:
        raise UsageError(
            f"{settings.processor} needs hidden to be a multiple of {facts.width_multiple}, "
            f"such as {facts.width}, got {hidden}"
        )
    return hidden


def _check_relations(settings: ModelSettings, algorithm: Algorithm) -> None:
    if not isinstance(settings.relations, bool):
        raise UsageError(f"relations must be true or false, got {settings.relations!r}")
    if settings.relations:
        from narlab.models.relations import probe_of

        probe_of(algorithm)  # says which input has none


def _check_pair_features(settings: ModelSettings) -> None:
    if settings.pair_features != ():
        from narlab.models import pair_features  # few models have some

        pair_features.names_of(settings.pair_features)


def _check_position(settings: ModelSettings, pairs: VisiblePairs) -> None:
    position = positions.get(settings.position)
    if position.needs_all_pairs and pairs is not VisiblePairs.ALL:
        raise UsageError(
            f"{settings.position} needs a processor that sees all pairs, such as mpnn_fc; "
            f"{settings.processor!r} does not"
        )


def _depth(settings: ModelSettings, mode: HintMode) -> int | str:
    if settings.depth is None:
        return depths.TRAJECTORY if mode.needs_hints else depths.PAPER
    depth = depths.parse(settings.depth)
    if mode.needs_hints and not depth.is_trajectory:
        raise UsageError(f"hints={settings.hints!r} needs depth={depths.TRAJECTORY!r}, got depth={depth}")
    return depth.setting


def _hint_names(settings: ModelSettings, mode: HintMode) -> tuple[str, ...] | None:
    names = settings.hint_names
    if names is None:
        return None
    if not mode.needs_hints:
        raise UsageError(f"hint_names has no meaning with hints={settings.hints!r}")
    if isinstance(names, str) or not names:
        raise UsageError(f"hint_names must be one or more names in a tuple, got {names!r}")
    known = [probe.name for probe in algorithms.get(settings.algorithm).hints]
    for name in names:
        if name not in known:
            raise unknown(f"hint of {settings.algorithm}", name, known)
    return tuple(names)
