"""Settings of these tests: tiny runs on one thread."""

import pytest

from narlab.training import Run


@pytest.fixture
def tiny():
    """A run of a second."""
    return Run(
        "bfs", dataset="custom", n=6, test_n=8, hidden=8, depth=3, steps=12, validate_every=4, test_every=8, samples=50
    )
