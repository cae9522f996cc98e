"""Groups of graphs on several threads, with BLAS kept at one: a kernel's products are small, its graphs are many."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache

import numpy as np
import scipy.linalg.cython_blas  # noqa: F401 (numba's np.dot calls it; it has to be there to be told of threads)
from threadpoolctl import ThreadpoolController

from narlab.common.compiling import compiled

GROUPS = 16  # a batch is cut into as many groups; more share the work better, fewer have less to add up


def groups_of(count: int) -> list[tuple[int, int]]:
    """`count` graphs in at most `GROUPS` groups, the same with any number of threads: so are the sums over them."""
    size = max(1, -(-count // GROUPS))
    return [(first, min(first + size, count)) for first in range(0, count, size)]


def run(work: Callable[[int], None], count: int, threads: int) -> None:
    """Call `work` with 0 to `count` - 1 on some threads, and return when all are done."""
    waiting = iter(range(count))

    def share() -> None:
        for k in waiting:  # whoever is free takes the next
            work(k)

    with _one_thread_for_blas():
        helpers = [_pool(threads - 1).submit(share) for _ in range(min(threads, count) - 1)]
        try:
            share()
        finally:
            wait(helpers)
        for helper in helpers:
            helper.result()


@contextmanager
def _one_thread_for_blas() -> Iterator[None]:
    with _blas().limit(limits=1):
        yield


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Kept, since a single step of a model takes no longer than starting threads."""
    return ThreadPoolExecutor(threads, "narlab")


os.register_at_fork(after_in_child=_pool.cache_clear)  # threads don't come along


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


def check() -> None:
    """Raise an error where kernels can't run: a product of two small matrices is compiled and tried."""
    numbers = np.eye(2, dtype=np.float32)
    _product(numbers, numbers)


@compiled
def _product(left, right):
    return np.dot(left, right)
