"""What is made of lanes gives what NumPy and PyTorch give."""

import numpy as np
import torch

from narlab.common.compiling import compiled
from narlab.kernels import lanes


@compiled
def sigmoids(x, out):
    for place in range(np.uint64(0), np.uint64(x.size), lanes.STEP):
        lanes.store(out, place, lanes.sigmoid_of(lanes.load(x, place)))


def test_the_sigmoid_is_that_of_pytorch():
    x = torch.linspace(-80, 80, 4096)
    ours = np.empty(4096, np.float32)
    sigmoids(x.numpy(), ours)
    np.testing.assert_allclose(ours, x.double().sigmoid(), rtol=3e-7)
