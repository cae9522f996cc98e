"""Models: encode, process, decode, with every processor and position encoding of the paper."""

from narlab import algorithms
from narlab.common.checks import check_integer
from narlab.common.errors import UsageError
from narlab.common.names import unknown
from narlab.models import hints as hint_modes
from narlab.models import positions, processors, quantisers
from narlab.models.batch import Batch, make_batch
from narlab.models.network import Network, Prediction
from narlab.models.pairs import Pairs
from narlab.models.settings import HYBRID_WIDTH, STEPS, TRAJECTORY, WIDTH, Settings

__all__ = ["Batch", "Network", "Prediction", "Settings", "build", "make_batch"]


def build(
    algorithm: str,
    *,
    processor: str = "mpnn_g",
    position: str = "random_scalar",
    hints: str = "none",
    hidden: int | None = None,
    steps: int | str | None = None,
    hint_names: tuple[str, ...] | None = None,
    quantiser: str | None = None,
) -> Network:
    """A new model of `algorithm` with random weights (`torch.manual_seed` decides them).

    Without `hidden` and `steps` they are the paper's: width 128, or 108 for hybrids; 32 steps, or the trajectory's own
    length with hints.

    >>> model = narlab.models.build("bfs", processor="two_wl")
    >>> batch = narlab.models.make_batch(narlab.data.load("clrs", "bfs", "val"))
    >>> model(batch).outputs["pi"].shape
    torch.Size([32, 16, 16])
    """
    settings = settings_of(
        algorithm,
        processor=processor,
        position=position,
        hints=hints,
        hidden=hidden,
        steps=steps,
        hint_names=hint_names,
        quantiser=quantiser,
    )
    check(settings)
    return Network(settings)


def settings_of(
    algorithm: str,
    *,
    processor: str = "mpnn_g",
    position: str = "random_scalar",
    hints: str = "none",
    hidden: int | None = None,
    steps: int | str | None = None,
    hint_names: tuple[str, ...] | None = None,
    quantiser: str | None = None,
) -> Settings:
    """The settings with the paper's width and depth where none are given."""
    if hidden is None:
        hidden = HYBRID_WIDTH if str(processor).startswith("hybrid") else WIDTH
    if steps is None:
        steps = TRAJECTORY if hint_modes.mode(hints).needs_hints else STEPS
    return Settings(algorithm, processor, position, hints, hidden, steps, hint_names, quantiser)


def check(settings: Settings) -> None:
    """Raise a `ValueError` for settings that name nothing or don't go together."""
    algorithm = algorithms.get(settings.algorithm)
    positions.get(settings.position)
    if processors.pairs(settings.processor) is not Pairs.ALL and settings.position == "edge_position":
        raise UsageError(
            f"edge_position needs a processor that sees all pairs, such as mpnn_fc; {settings.processor!r} does not"
        )
    check_integer("hidden", settings.hidden, 1)
    mode = hint_modes.mode(settings.hints)
    if settings.steps != TRAJECTORY:
        if isinstance(settings.steps, str):
            raise UsageError(f"steps must be a number or {TRAJECTORY!r}, got {settings.steps!r}")
        check_integer("steps", settings.steps, 1)
        if mode.needs_hints:
            raise UsageError(f"hints={settings.hints!r} needs steps={TRAJECTORY!r}, got steps={settings.steps}")
    if settings.hint_names is not None:
        if not mode.needs_hints:
            raise UsageError("hint_names has no meaning with hints='none'")
        if isinstance(settings.hint_names, str) or not settings.hint_names:
            raise UsageError(f"hint_names must be one or more names in a tuple, got {settings.hint_names!r}")
        known = [probe.name for probe in algorithm.hints]
        for name in settings.hint_names:
            if name not in known:
                raise unknown(f"hint of {settings.algorithm}", name, known)
    if settings.quantiser is not None and settings.quantiser not in quantisers.names():
        raise unknown("quantiser", settings.quantiser, quantisers.names())
