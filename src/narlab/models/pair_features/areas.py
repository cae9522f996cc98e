"""Areas: on which side of the line from i to j all other nodes lie, in planes that are learned."""

from torch import Tensor, nn

from narlab.models.kernels.pair_values import largest_products_by_kernel
from narlab.models.pair_features import AbstractPairFeatures, PairInputs, sharpened
from narlab.models.pivots import largest_products

CHANNELS = 8
LEARNING_SPEED = 2.0  # values are that many times a linear map: Adam moves them so much faster


class PairFeatures(AbstractPairFeatures):
    """With learned x_ij = -x_ji and y_ij = -y_ji, in 8 planes,

    max_k (x_ik y_kj - y_ik x_kj) is twice the area of the largest triangle i, k, j on one side of the pair. It is never
    below 0, since k may be i, and 0 where no node lies on that side. Where x and y are differences of coordinates, such
    pairs are the edges of the convex hull.

    >>> import narlab
    >>> model = narlab.models.build("graham_scan", hidden=8, depth=2, pair_features=("areas",))
    >>> batch = narlab.models.make_batch(narlab.data.custom("graham_scan", n=4, count=2))
    >>> model(batch).outputs["in_hull"].shape
    torch.Size([2, 4])
    """

    width = 3 * CHANNELS

    def __init__(self, fan_in: int) -> None:
        super().__init__()
        self.of_pair = nn.Linear(fan_in, 2 * CHANNELS, bias=False)

    def forward(self, inputs: PairInputs) -> Tensor:
        values = LEARNING_SPEED * self.of_pair(inputs.values)
        x, y = (values - values.transpose(1, 2)).chunk(2, -1)  # [B, N, N, C]
        largest = largest_products_by_kernel if inputs.kernels else largest_products
        return sharpened(largest((x, -y), (y, x)))
