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


@compiled
def times_the_first(x, out):
    for place in range(np.uint64(0), np.uint64(x.size), lanes.WIDE_STEP):
        both = lanes.load_wide(x, place) * lanes.load_twice(x, np.uint64(0)) + lanes.fill_wide(np.float32(1))
        lanes.store(out, place, lanes.first_half(both))
        lanes.store(out, place + lanes.STEP, lanes.second_half(both))


def test_wide_lanes_are_two_side_by_side():
    x = np.random.default_rng(0).standard_normal((4, lanes.LANES)).astype(np.float32)
    out = np.empty(x.size, np.float32)
    times_the_first(x.reshape(-1), out)
    np.testing.assert_allclose(out.reshape(x.shape), x * x[0] + 1, rtol=1e-6, atol=1e-6)
