"""Products in tiles are those of NumPy, whatever is left over when tiles are laid out."""

import numpy as np
import pytest

from narlab.common.compiling import compiled
from narlab.kernels import matrices, messages


@compiled
def multiply(x, matrix, start, stride, lowest, out):
    matrices.multiply(x, matrices.panels_of(matrix), start, stride, lowest, out)


@compiled
def add_transposed_product(left, right, total):
    matrices.add_transposed_product(left, right, total)


@compiled
def spread_to_winners(messages_in, winner, d_inbox, rows, d_messages, d_rows):
    tile = (0, 0, len(winner))
    messages.spread_to_winners(messages_in, winner, d_inbox, rows, tile, (d_messages, d_rows))


def numbers(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("width", [3, 16, 20, 32, 40, 108, 128])  # narrow, whole panels, panels that overlap
@pytest.mark.parametrize("rows", [1, 7, 8, 13])
def test_products(rows, width):
    x, matrix, bias = numbers(1, rows, 11), numbers(2, 11, width), numbers(3, width)
    unbounded, zeros = np.full(width, -np.inf, np.float32), np.zeros(width, np.float32)
    out = np.full((rows + 1, width), 7, np.float32)
    multiply(x, matrix, bias, 0, zeros, out[:rows])
    np.testing.assert_allclose(out[:rows], np.maximum(x @ matrix + bias, 0), atol=1e-5)
    before = out[:rows].copy()
    multiply(x, matrix, out.reshape(-1), width, unbounded, out[:rows])  # added to what is there, each number once
    np.testing.assert_allclose(out[:rows], before + x @ matrix, atol=1e-5)
    assert (out[rows] == 7).all()


@pytest.mark.parametrize("width", [3, 20, 48, 108])
@pytest.mark.parametrize("many", [1, 64, 150])  # a chunk and more
def test_transposed_products_are_added(many, width):
    left, right, total = numbers(1, many, 13), numbers(2, many, width), numbers(3, 9, width)
    expected = total + left[:, :9].T @ right
    add_transposed_product(left, right, total)
    np.testing.assert_allclose(total, expected, atol=1e-4)


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


def test_a_nan_stays_one():
    x, out = numbers(1, 9, 4), np.empty((9, 32), np.float32)
    x[3, 2] = np.nan
    multiply(x, numbers(2, 4, 32), np.zeros(32, np.float32), 0, np.zeros(32, np.float32), out)
    assert np.isnan(out[3]).all()
    assert not np.isnan(np.delete(out, 3, 0)).any()


@pytest.mark.parametrize("width", [5, 64, 140])
def test_winners_share_the_gradient(width):
    """As the product with a matrix that is zero but at the winners."""
    edges, nodes = 23, 6
    x, rows, d_inbox = numbers(1, edges, width), numbers(2, width, width), numbers(3, nodes, width)
    winner = np.random.default_rng(4).integers(0, edges, (nodes, width)).astype(np.int32)
    shares = np.zeros((edges, width), np.float32)
    np.add.at(shares, (winner, np.arange(width)[None]), d_inbox)
    d_messages, d_rows = np.zeros((edges, width), np.float32), np.zeros((width, width), np.float32)
    spread_to_winners(x, winner, d_inbox, rows, d_messages, d_rows)
    np.testing.assert_allclose(d_messages, shares @ rows, atol=1e-4)
    np.testing.assert_allclose(d_rows, shares.T @ x, atol=1e-4)
