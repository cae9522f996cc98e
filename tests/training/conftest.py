"""Settings of these tests: tiny runs on one thread."""

import pytest
import torch

from narlab.training import Run


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def tiny():
    """A run of a second."""
    return Run(
        "bfs", dataset="custom", n=6, test_n=8, hidden=8, depth=3, steps=12, validate_every=4, test_every=8, samples=50
    )
