"""Detours: how much of a current along an edge takes other ways, where only edges conduct."""

from torch import Tensor

from narlab.models.pair_features import AbstractPairFeatures, PairInputs, sharpened
from narlab.models.pair_features._currents import CHANNELS, map_to_conductances, one_way_conductances, share_elsewhere


class PairFeatures(AbstractPairFeatures):
    """With learned conductances c_ij = c_ji >= 0, in 4 channels, that are 0 where the task's graph has no edge, and the
    resistance R_ij between i and j,

    1 - c_ij R_ij is the share of a current from i to j that does not run over the pair itself: 0 where the edge is the
    only way, a bridge. `resistances` has to learn that a pair without an edge does not conduct, and what little is left
    of it adds up in larger graphs. Without a graph all pairs conduct, as there.

    >>> import narlab
    >>> model = narlab.models.build("bridges", hidden=8, depth=2, pair_features=("detours",))
    >>> batch = narlab.models.make_batch(narlab.data.custom("bridges", n=4, count=2))
    >>> model(batch).outputs["is_bridge"].shape
    torch.Size([2, 4, 4])
    """

    width = 3 * CHANNELS

    def __init__(self, fan_in: int) -> None:
        super().__init__()
        self.of_pair = map_to_conductances(fan_in)

    def forward(self, inputs: PairInputs) -> Tensor:
        one_way = one_way_conductances(self.of_pair, inputs.values)
        if inputs.edges is not None:
            one_way = one_way * inputs.edges[:, None].to(one_way.dtype)
        return sharpened(share_elsewhere(one_way).movedim(1, -1))
