"""A run uses no more threads than it may, so that several can run side by side."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info

from narlab import data
from narlab.algorithms.engine import Algorithm
from narlab.common import machine
from narlab.data import generation
from narlab.training import Run, learner, train
from narlab.training.environment import Machine
from narlab.training.reporting import PlainLines


class Threads(PlainLines):
    """Notes after each step how many threads PyTorch and BLAS may use."""

    def __init__(self):
        super().__init__(write=lambda text: None)
        self.seen: set[int] = set()

    def step(self, step, loss):
        blas = [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]
        self.seen |= {torch.get_num_threads(), *blas}


@pytest.fixture
def pools(monkeypatch):
    """The number of threads of each pool that data was made with."""
    sizes: list[int] = []

    class Pool(ThreadPoolExecutor):
        def __init__(self, threads):
            sizes.append(threads)
            super().__init__(threads)

    for module in (generation, machine):
        monkeypatch.setattr(module, "ThreadPoolExecutor", Pool)
    monkeypatch.setattr(machine, "POOL_SECONDS", 0.0)  # no work is too small for threads
    return sizes


@pytest.mark.parametrize("hints", ["none", pytest.param("encoded_decoded", marks=pytest.mark.slow)])
def test_data_is_made_by_as_many_threads_as_training_may_use(tmp_path, tiny, pools, hints):
    run = replace(tiny, hints=hints, depth=None if hints != "none" else 3, validate_every=6)
    train(run, tmp_path / "one", threads=1, reporter=PlainLines(write=lambda text: None))
    assert pools == []
    train(run, tmp_path / "three", threads=3, reporter=PlainLines(write=lambda text: None))
    assert set(pools) == {3}


def test_data_is_the_same_with_any_number_of_threads():
    for source in (data.custom("bfs", n=9, count=300, seed=4, hints=True), data.load("clrs", "bfs", "val", hints=True)):
        one, three = source.with_threads(1), source.with_threads(3)
        for name in source.hints:
            np.testing.assert_array_equal(one.hints[name], three.hints[name])
        pieces = [piece.hints["pi_h"] for piece in source.with_threads(1).chunks(70)]
        for piece, other in zip(pieces, source.with_threads(2).chunks(70), strict=True):
            np.testing.assert_array_equal(piece, other[:].hints["pi_h"])


def test_pytorch_and_blas_are_limited_while_training(tmp_path, tiny):
    before = torch.get_num_threads()
    reporter = Threads()
    train(tiny, tmp_path / "run", threads=1, reporter=reporter)
    assert reporter.seen == {1}
    assert torch.get_num_threads() == before
    with pytest.raises(ValueError, match=r"threads must be an integer from 1 to \d+, got 0"):
        train(tiny, tmp_path / "run", threads=0, reporter=reporter)


def test_with_one_thread_no_other_works(tmp_path):
    """Then time used is at most time passed, also where a busy machine makes the latter long."""
    run = Run("bfs", dataset="l_clrs", hidden=16, depth=4, steps=40, validate_every=20)
    train(replace(run, steps=1, samples=50), tmp_path / "warm", threads=1)  # what is compiled is no part of it
    own, of_all = time.thread_time(), time.process_time()
    train(run, tmp_path / "run", threads=1)
    own, of_all = time.thread_time() - own, time.process_time() - of_all
    assert of_all <= 1.1 * own


@pytest.mark.parametrize("hints", ["none", pytest.param("encoded_decoded", marks=pytest.mark.slow)])
def test_compiling_in_two_processes_changes_no_bit(tmp_path, tiny, everything, monkeypatch, hints):
    """What is never compiled here before is: the kernels on a graph of zeros, the rest in another process."""
    run, asked = replace(tiny, hints=hints, depth=None, steps=4), []

    @contextmanager
    def noted(code, description):
        asked.append((code, description))
        yield

    train(run, tmp_path / "usual", threads=2, reporter=Threads())
    monkeypatch.setattr(Algorithm, "is_compiled", False)
    monkeypatch.setattr(learner, "elsewhere", noted)
    train(run, tmp_path / "both", threads=2, reporter=Threads())
    assert everything(tmp_path / "both") == everything(tmp_path / "usual")
    ((code, description),) = asked
    done = subprocess.run([sys.executable, "-c", code, description], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_on_another_device_no_kernel_is_compiled(tiny, monkeypatch):
    made = learner.Learner(tiny.resolved(), Machine.of("cpu"))
    made.model.to("meta")
    monkeypatch.setattr(Algorithm, "is_compiled", False)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    monkeypatch.setattr(learner, "elsewhere", lambda *code: pytest.fail("no kernel runs there"))
    made.compile(tiny.resolved().split("train"))
