"""Models: encode, process, decode, with every processor and position encoding of the paper, and some beyond it.

What a model is made of comes from catalogues: `processors`, `positions`, `hint_modes`, `quantisers`, `readouts`,
`pair_features`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from torch import nn

from narlab import algorithms
from narlab.common import lazily
from narlab.models import depth, hint_modes, positions, processors, readouts
from narlab.models.batch import Batch, collate, make_batch
from narlab.models.hint_modes import HintMode
from narlab.models.network import Network, Prediction
from narlab.models.positions import AbstractPosition
from narlab.models.processors import AbstractProcessor
from narlab.models.readouts import AbstractReadout
from narlab.models.settings import ModelSettings, ResolvedSettings, resolve

if TYPE_CHECKING:
    from narlab.algorithms.engine import Algorithm
    from narlab.models import pair_features, quantisers
    from narlab.models.pair_features import AbstractPairFeatures
else:
    __getattr__ = lazily(
        __name__, {"pair_features": "narlab.models.pair_features", "quantisers": "narlab.models.quantisers"}
    )

__all__ = [
    "AbstractPosition",
    "AbstractProcessor",
    "AbstractReadout",
    "Batch",
    "HintMode",
    "ModelSettings",
    "Network",
    "Prediction",
    "ResolvedSettings",
    "build",
    "collate",
    "depth",
    "hint_modes",
    "make_batch",
    "pair_features",
    "positions",
    "processors",
    "quantisers",
    "readouts",
    "resolve",
]


def build(
    algorithm: "str | Algorithm",
    *,
    processor: str | type[AbstractProcessor] = "mpnn_g",
    position: str | type[AbstractPosition] = "random_scalar",
    hints: str | HintMode = "none",
    hint_names: tuple[str, ...] | None = None,
    quantiser: str | type[nn.Module] | None = None,
    hidden: int | None = None,
    depth: int | str | None = None,
    readout: str | type[AbstractReadout] = "paper",
    relations: bool = False,
    pair_features: "Sequence[str | type[AbstractPairFeatures]]" = (),
) -> Network:
    """A new model of `algorithm` with random weights (`torch.manual_seed` decides them); see `ModelSettings`.

    Each thing is a name, a text `package.module:Name`, or the class or object itself. Without `hidden` and `depth` they
    are the processor's width, 128 for the paper's and 108 for hybrids, and 32 steps, or the trajectory's with hints.

    >>> import narlab
    >>> model = narlab.models.build("bfs", processor="two_wl", hidden=16)
    >>> batch = narlab.models.make_batch(narlab.data.load("clrs", "bfs", "val"))
    >>> model(batch).outputs["pi"].shape
    torch.Size([32, 16, 16])
    """
    if quantiser is not None:
        from narlab.models import quantisers

        quantiser = quantisers.name_of(quantiser)
    settings = ModelSettings(
        algorithms.CATALOGUE.name_of(algorithm),
        processor=processors.name_of(processor),
        position=positions.name_of(position),
        hints=hint_modes.name_of(hints),
        hint_names=hint_names,
        quantiser=quantiser,
        hidden=hidden,
        depth=depth,
        readout=readouts.name_of(readout),
        relations=relations,
        pair_features=_names_of(pair_features),
    )
    return Network(resolve(settings))


def _names_of(things: "Sequence[str | type[AbstractPairFeatures]]") -> tuple[str, ...]:
    if not things:
        return ()
    from narlab.models.pair_features import names_of  # few models have some

    return names_of(things)
