"""What this machine offers, on every operating system: cores, threads, memory."""

import ctypes
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

PARTS_PER_THREAD = 8  # more parts than threads, because samples take unequal time
POOL_SECONDS = 1e-3  # work that is not worth starting threads for
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
LARGEST = 2**31 - 1


def cores() -> int:
    """How many cores this process may use; where the system does not say, how many there are."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


def in_parts(run_part: Callable[[slice], None], count: int, threads: int | None) -> None:
    """Call `run_part` on slices that together are the `count` samples of a batch; by default, one thread per core.

    It should be compiled code, which lets other threads run.
    """
    threads = threads or cores()
    step = max(1, count // (PARTS_PER_THREAD * threads))
    parts = [slice(k, k + step) for k in range(0, count, step)]
    if threads == 1 or len(parts) < 2:
        run_part(slice(None))
        return
    start = perf_counter()
    run_part(parts[0])
    if (perf_counter() - start) * len(parts) < POOL_SECONDS:
        run_part(slice(step, None))
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run_part, parts[1:]))


def keep_freed_memory() -> None:
    """Ask the C library to keep what is freed for the next allocation, in this process from now on.

    A training step frees hundreds of megabytes. By default glibc gives them back to the system, and the next step pays
    for getting and clearing them again: a tenth of its time and more. Other C libraries are left alone.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        library = ctypes.CDLL("libc.so.6")
        library.mallopt(M_MMAP_THRESHOLD, 2**30)
        library.mallopt(M_TRIM_THRESHOLD, LARGEST)
    except (OSError, AttributeError):
        return
