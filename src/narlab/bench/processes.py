"""Measurements in processes of their own, with fresh memory, taken in turns: what disturbs one disturbs all."""

import resource
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import torch

from narlab.bench.machine_load import LoadMeter
from narlab.common.machine import keep_freed_memory

Result = TypeVar("Result")
DIED = "a measuring process has ended{}; if nobody ended it, memory ran out"


class ProcessDiedError(RuntimeError):
    """A measuring process is gone."""


class Workload(NamedTuple):
    """What is measured, warmed up, and the floating-point operations of its matrix products."""

    run: Callable[[], object]
    flops: float


Maker = Callable[[], Workload]


class Timing(NamedTuple):
    """One run: seconds, seconds of all cores that others used meanwhile, and the process's peak memory so far."""

    seconds: float
    foreign: float | None
    memory: int


@dataclass(frozen=True)
class Measured:
    """The best of some runs; `memory` is the process's peak in bytes, with Python and PyTorch (about 0.4 GB)."""

    seconds: float
    flops: float
    memory: int
    others: float  # cores that other processes used during all that was measured in turns

    @property
    def rate(self) -> float:
        """GFLOP/s of the matrix products."""
        return self.flops / self.seconds / 1e9


def in_turns(makers: Sequence[Maker], *, repeats: int, threads: int | None) -> list[Measured]:
    """Measure what each of `makers` makes, each in a process of its own, one run of each after the other."""
    with ExitStack() as stack:
        workers = [stack.enter_context(_Worker(make, threads)) for make in makers]
        rounds = [[worker.time() for worker in workers] for _ in range(repeats)]
    others = _used_by_others([timing for timings in rounds for timing in timings])
    return [
        Measured(min(timing.seconds for timing in timings), worker.flops, timings[-1].memory, others)
        for worker, timings in zip(workers, zip(*rounds, strict=True), strict=True)
    ]


def _used_by_others(timings: Sequence[Timing]) -> float:
    """Cores, on average over all: ticks are so coarse that a short run alone may be below 0."""
    return max(0.0, sum(timing.foreign or 0.0 for timing in timings)) / sum(timing.seconds for timing in timings)


def alone(work: Callable[[], Result], *, threads: int | None) -> Result:
    """The result of `work` in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin, initargs=(threads,)) as processes:
        try:
            return processes.submit(work).result()
        except BrokenProcessPool:
            raise ProcessDiedError(DIED.format("")) from None


class _Worker:
    """A process that gets ready once, and then runs its work whenever it is asked to."""

    def __init__(self, make: Maker, threads: int | None) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, make, threads), daemon=True)
        self.process.start()
        theirs.close()

    def __enter__(self) -> "_Worker":
        try:
            self.flops: float = self._answer()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.join()
        self.connection.close()

    def time(self) -> Timing:
        with suppress(ConnectionError):  # who does not hear does not answer
            self.connection.send("run")
        return self._answer()

    def _answer(self) -> Any:
        try:
            answer = self.connection.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            raise ProcessDiedError(DIED.format(f" with code {self.process.exitcode}")) from None
        if isinstance(answer, Exception):
            raise answer
        return answer


def _begin(threads: int | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks for the measurements ends this process, too
    torch.set_num_threads(threads or torch.get_num_threads())
    keep_freed_memory()


def _serve(connection: Connection, make: Maker, threads: int | None) -> None:
    _begin(threads)
    try:
        work = make()
        connection.send(work.flops)
        while connection.recv():
            connection.send(_timed(work.run))
    except EOFError:
        return
    except Exception as error:
        connection.send(error)


def _timed(run: Callable[[], object]) -> Timing:
    """The second of two runs: in training one step follows another, and finds in the caches what that one left."""
    run()
    meter, start = LoadMeter(), perf_counter()
    run()
    return Timing(perf_counter() - start, meter.foreign(), _peak_memory())


def _peak_memory() -> int:
    """The most memory that this process has had, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
