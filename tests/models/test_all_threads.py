"""Threads of kernels and of PyTorch in a training step."""

import pytest
import torch

from narlab.models import kernels


@pytest.fixture
def three_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def shared(monkeypatch):
    """On how many threads work was shared out."""
    counts = []
    monkeypatch.setattr(kernels, "share_out", lambda work, count, threads: counts.append(threads))
    return counts


@pytest.mark.usefixtures("three_threads")
def test_kernels_have_all_threads_and_pytorch_one(shared):
    with kernels.all_threads():
        assert torch.get_num_threads() == 1
        with kernels.all_threads():  # as if it were not there
            kernels.in_groups(lambda g, group: None, 4)
        assert torch.get_num_threads() == 1
    kernels.in_groups(lambda g, group: None, 4)
    assert shared == [3, 3]
    assert torch.get_num_threads() == 3


@pytest.mark.usefixtures("three_threads")
def test_an_error_gives_the_threads_back(shared):
    with pytest.raises(ZeroDivisionError), kernels.all_threads():
        raise ZeroDivisionError
    assert torch.get_num_threads() == 3
    torch.set_num_threads(2)
    kernels.in_groups(lambda g, group: None, 4)
    assert shared == [2]
