"""What is made of lanes gives what NumPy and PyTorch give."""

import numpy as np
import pytest
import torch

from narlab.kernels import lanes, matrices, pivots
from narlab.kernels.numerics import kernel


@pytest.mark.parametrize(("rows", "inner", "columns"), [(1, 6, 32), (7, 33, 67), (130, 32, 100)])
def test_products_of_matrices(rows, inner, columns):
    random = np.random.default_rng(0)
    x, matrix, start, other = (
        random.standard_normal(shape, np.float32)
        for shape in ((rows, inner), (inner, columns), (rows, columns), (rows, columns))
    )
    lowest, out = np.full(columns, -0.5, np.float32), np.empty((rows, columns), np.float32)
    matrices.multiply(x, matrix, start.reshape(-1), columns, lowest, out)
    np.testing.assert_allclose(out, np.maximum(x @ matrix + start, -0.5), atol=1e-4)
    matrices.multiply(x, matrix, start[0], 0, lowest, out)
    np.testing.assert_allclose(out, np.maximum(x @ matrix + start[0], -0.5), atol=1e-4)
    total, scratch = np.ones((inner, columns), np.float32), np.empty((inner, columns), np.float32)
    matrices.add_transposed_product(x, other, total, scratch)
    np.testing.assert_allclose(total, 1 + x.T @ other, atol=1e-4)


@kernel
def sigmoids(x, out):
    for place in range(np.uint64(0), np.uint64(x.size), lanes.STEP):
        lanes.store(out, place, lanes.sigmoid_of(lanes.load(x, place)))


def test_sigmoid_and_tanh_are_those_of_pytorch():
    x = torch.linspace(-80, 80, 4096)
    ours = np.empty(4096, np.float32)
    sigmoids(x.numpy(), ours)
    np.testing.assert_allclose(ours, x.double().sigmoid(), rtol=3e-7)
    x = torch.linspace(-12, 12, 4001)
    np.testing.assert_allclose([pivots.tanh(value) for value in x.numpy()], x.double().tanh(), rtol=3e-7)
