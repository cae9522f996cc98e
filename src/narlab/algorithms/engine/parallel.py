"""Work on a batch in parts, side by side in threads: compiled functions let other threads run."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

from narlab.common.machine import cores

PARTS_PER_THREAD = 8  # more parts than threads, because samples take unequal time
POOL_SECONDS = 1e-3  # work that is not worth starting threads for


def in_parts(run_part: Callable[[slice], None], count: int, threads: int | None) -> None:
    """Call `run_part` on slices that together are the `count` samples of a batch; by default, one thread per core."""
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
