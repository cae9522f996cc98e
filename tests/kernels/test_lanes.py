"""What is made of lanes gives what NumPy and PyTorch give."""

import numpy as np
import pytest
import torch

from narlab.common.compiling import compiled
from narlab.kernels import lanes, matrices


@compiled
def multiply(x, matrix, start, stride, lowest, out):
    matrices.multiply(x, matrices.panels_of(matrix), start, stride, lowest, out)


@compiled
def add_transposed_product(left, right, total):
    matrices.add_transposed_product(left, right, total, np.empty_like(total))


@pytest.mark.parametrize(("rows", "inner", "columns"), [(1, 6, 32), (7, 33, 67), (130, 32, 100)])
def test_products_of_matrices(rows, inner, columns):
    random = np.random.default_rng(0)
    x, matrix, start, other = (
        random.standard_normal(shape, np.float32)
        for shape in ((rows, inner), (inner, columns), (rows, columns), (rows, columns))
    )
    lowest, out = np.full(columns, -0.5, np.float32), np.empty((rows, columns), np.float32)
    multiply(x, matrix, start.reshape(-1), columns, lowest, out)
    np.testing.assert_allclose(out, np.maximum(x @ matrix + start, -0.5), atol=1e-4)
    multiply(x, matrix, start[0], 0, lowest, out)
    np.testing.assert_allclose(out, np.maximum(x @ matrix + start[0], -0.5), atol=1e-4)
    total = np.ones((inner, columns), np.float32)
    add_transposed_product(x, other, total)
    np.testing.assert_allclose(total, 1 + x.T @ other, atol=1e-4)


def test_rows_may_be_longer_than_the_matrix_is_deep():
    random = np.random.default_rng(0)
    x, matrix = random.standard_normal((9, 16), np.float32), random.standard_normal((8, 16), np.float32)
    out, total = np.empty((9, 16), np.float32), np.zeros((8, 16), np.float32)
    multiply(x, matrix, np.zeros(16, np.float32), 0, np.full(16, -np.inf, np.float32), out)
    np.testing.assert_allclose(out, x[:, :8] @ matrix, atol=1e-5)
    add_transposed_product(x, out, total)
    np.testing.assert_allclose(total, x[:, :8].T @ out, atol=1e-4)


@compiled
def sigmoids(x, out):
    for place in range(np.uint64(0), np.uint64(x.size), lanes.STEP):
        lanes.store(out, place, lanes.sigmoid_of(lanes.load(x, place)))


def test_the_sigmoid_is_that_of_pytorch():
    x = torch.linspace(-80, 80, 4096)
    ours = np.empty(4096, np.float32)
    sigmoids(x.numpy(), ours)
    np.testing.assert_allclose(ours, x.double().sigmoid(), rtol=3e-7)
