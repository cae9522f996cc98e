"""What this machine offers and asks for, on every operating system: cores, threads, memory, signals."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import perf_counter
from types import FrameType

from narlab.common.errors import UsageError, check_integer

PARTS_PER_THREAD = 8  # more parts than threads, because samples take unequal time
POOL_SECONDS = 1e-3  # work that is not worth starting threads for
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
LARGEST = 2**31 - 1
WORTH_A_LOOK = 2**29  # bytes: less finds room anywhere
MOST_THREADS = 256  # or as many as there are cores
CONTROL_GROUP = Path("/sys/fs/cgroup")


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


def share_out(work: Callable[[int], None], count: int, threads: int) -> None:
    """Call `work` with 0 to `count` - 1 on some threads, which are kept for the next time; return when all are done."""
    waiting = iter(range(count))

    def share() -> None:
        for k in waiting:  # whoever is free takes the next
            work(k)

    helpers = [_pool(threads - 1).submit(share) for _ in range(min(threads, count) - 1)]
    try:
        share()
    finally:
        wait(helpers)
    for helper in helpers:
        helper.result()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "narlab")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads don't come along


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


def check_threads(threads: object) -> int:
    """A number of threads that a machine can start."""
    return check_integer("threads", threads, 1, max(MOST_THREADS, cores()))


def check_memory(what: str, needed: int, remedy: str) -> None:
    """Raise a `UsageError` if so many bytes, the least that `what` needs, are more than is free here."""
    if needed < WORTH_A_LOOK:
        return
    free = free_memory()
    if free is not None and needed > free:
        raise UsageError(
            f"{what} needs at least {_gigabytes(needed)} of memory, and {_gigabytes(free)} are free here; {remedy}"
        )


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size < 1e15 else f"{size / 1e9:.1e} GB"


def free_memory() -> int | None:
    """Bytes that this process can still get, as far as the system says so."""
    found = [size for size in (_free_of_machine(), _free_of_group()) if size is not None]
    return min(found, default=None)


def _free_of_machine() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, ValueError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")  # all that there is, where nothing more is told
    except (AttributeError, OSError, ValueError):
        return None


def _free_of_group() -> int | None:
    """What the container leaves."""
    try:
        most, used = (int((CONTROL_GROUP / f"memory.{name}").read_text()) for name in ("max", "current"))
        cached = (CONTROL_GROUP / "memory.stat").read_text().splitlines()
        return most - used + sum(int(line.split()[1]) for line in cached if line.split()[0] == "file")
    except (OSError, ValueError):  # "max": no limit
        return None


class Flag:
    """Set by a signal, looked at between steps; with `at_once` the signal stops whatever is done."""

    def __init__(self) -> None:
        self.is_set = self.at_once = False

    def __bool__(self) -> bool:
        return self.is_set


@contextmanager
def interruptions() -> Iterator[Flag]:
    """Note Ctrl-C instead of stopping in the middle of a step; a second one stops at once."""
    flag = Flag()

    def note(number: int, frame: FrameType | None) -> None:
        if flag.is_set or flag.at_once:
            raise KeyboardInterrupt
        flag.is_set = True

    try:
        before = signal.signal(signal.SIGINT, note)
    except ValueError:  # signals belong to the main thread
        yield flag
        return
    try:
        yield flag
    finally:
        signal.signal(signal.SIGINT, before)
