"""Resistances: how much of a current between i and j takes other ways than the pair itself."""

from torch import Tensor

from narlab.models.pair_features import AbstractPairFeatures, PairInputs, sharpened
from narlab.models.pair_features._currents import CHANNELS, map_to_conductances, one_way_conductances, share_elsewhere


class PairFeatures(AbstractPairFeatures):
    """With learned conductances c_ij = c_ji >= 0, in 4 channels, and the resistance R_ij between i and j,

    1 - c_ij R_ij is the share of a current from i to j that does not run over the pair itself: 0 where it is the only
    way, a bridge, and 1 where c_ij is 0. It is the same if all conductances are doubled. R_ij = M_ii + M_jj - 2 M_ij
    with M the inverse of the Laplacian: the closure of the pairs under (+, *), as others are under (max, +).

    >>> import narlab
    >>> model = narlab.models.build("bridges", hidden=8, depth=2, pair_features=("resistances",))
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
        return sharpened(share_elsewhere(one_way).movedim(1, -1))
