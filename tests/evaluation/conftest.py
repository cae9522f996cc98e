"""Settings of these tests: small models on small batches, on one thread."""

import pytest
import torch

from narlab import data, models


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def batch_of():
    """A small batch of an algorithm."""

    def make(name, *, n=6, count=3, seed=1, hints=False, **options):
        return models.make_batch(data.custom(name, n=n, count=count, seed=seed, hints=hints, **options), seed)

    return make
