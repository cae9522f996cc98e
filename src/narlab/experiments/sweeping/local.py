"""Jobs on this machine: worker processes that each have their share of the cores."""

import os
import signal
import sys
import tempfile
import threading
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic
from typing import Any, cast

from narlab.common.errors import UsageError, check_integer
from narlab.common.machine import MOST_THREADS, check_threads, cores, keep_freed_memory
from narlab.experiments.sweeping.attempt import attempt, last_lines
from narlab.experiments.sweeping.jobs import ENDS, Event, Job, Kind, Tell
from narlab.training.environment import device_of

ATTEMPTS = 3  # at a job whose workers die
GRACE = 120.0  # seconds that workers get to save what they have
STOP = "stop"


@dataclass(frozen=True)
class Local:
    """`workers` processes with `threads` threads each; by default the cores of this machine are shared out evenly."""

    workers: int = 1
    threads: int | None = None
    device: str = "cpu"

    def __post_init__(self) -> None:
        check_integer("workers", self.workers, 1, MOST_THREADS)
        check_threads(self.share)
        if self.workers > 1 and self.workers * self.share > cores():
            raise UsageError(
                f"{self.workers} workers of {self.share} threads need {self.workers * self.share} cores, but there are "
                f"{cores()}; they would slow each other down: take fewer of either"
            )
        device_of(self.device)

    @property
    def share(self) -> int:
        """The number of threads of each worker."""
        return self.threads if self.threads is not None else max(1, cores() // max(1, self.workers))

    def execute(self, jobs: Sequence[Job], tell: Tell) -> None:
        """Train all jobs, each in its folder."""
        with tempfile.TemporaryDirectory(prefix="narlab-") as logs:
            crew = Crew(self, tell, Path(logs))
            try:
                crew.work(deque(jobs))
            except KeyboardInterrupt:
                crew.wind_down()
                raise
            finally:
                crew.dismiss()


class Crew:
    """The worker processes of one sweep, as its own process sees them."""

    def __init__(self, engine: Local, tell: Tell, logs: Path) -> None:
        self.engine, self.tell, self.logs = engine, tell, logs
        self.idle: list[Worker] = []
        self.busy: dict[Connection, Worker] = {}
        self.started = 0
        self.losses: Counter[str] = Counter()

    def work(self, waiting: deque[Job]) -> None:
        """Keep all workers busy until every job has ended."""
        while waiting or self.busy:
            while waiting and len(self.busy) < self.engine.workers:
                self._hand_out(waiting.popleft())
            for worker, event in self._events():
                if event is None:
                    assert worker.job is not None
                    if self._lost(worker, worker.job):
                        waiting.appendleft(worker.job)
                    continue
                if event.kind in ENDS:
                    self.idle.append(self.busy.pop(worker.pipe))
                self.tell(event)

    def wind_down(self) -> None:
        """Ask all workers to save where they are, and wait until they have."""
        for told, worker in enumerate(self.busy.values()):
            if not told:
                self._say(worker.job, "stopping after the step each run is at; Ctrl-C again stops at once")
            worker.send(STOP)
        until = monotonic() + GRACE
        while self.busy and monotonic() < until:
            for worker, event in self._events(until - monotonic()):
                if event is None or event.kind in ENDS:
                    self.idle.append(self.busy.pop(worker.pipe))

    def dismiss(self) -> None:
        """End all processes."""
        for worker in (*self.idle, *self.busy.values()):
            worker.end()

    def _hand_out(self, job: Job) -> None:
        worker = self.idle.pop() if self.idle else self._new_worker()
        self.busy[worker.pipe] = worker
        worker.job = job
        worker.send(job)

    def _new_worker(self) -> "Worker":
        self.started += 1
        return Worker(self.engine, self.logs / f"{self.started}.log")

    def _say(self, job: Job | None, text: str) -> None:
        assert job is not None
        self.tell(Event(Kind.SAID, job, text))

    def _events(self, timeout: float | None = None) -> Iterator[tuple["Worker", Event | None]]:
        """Events of workers as they come; `None` from one that has died."""
        for pipe in wait(list(self.busy), timeout):
            assert isinstance(pipe, Connection)
            try:
                yield self.busy[pipe], pipe.recv()
            except (EOFError, OSError):
                yield self.busy[pipe], None

    def _lost(self, worker: "Worker", job: Job) -> bool:
        """Clear away a worker that died; whether its job is worth another attempt."""
        del self.busy[worker.pipe]
        self.losses[job.name] += 1
        why = worker.fate()
        worker.end()
        if self.losses[job.name] < ATTEMPTS:
            self._say(job, f"{job.name}: {why}; it goes on from its last checkpoint")
            return True
        self.tell(Event(Kind.FAILED, job, [*worker.last_words(), f"{why} in the last of {ATTEMPTS} attempts"]))
        return False


class Worker:
    """One worker process."""

    def __init__(self, engine: Local, log: Path) -> None:
        spawn = get_context("spawn")
        self.pipe, theirs = spawn.Pipe()
        self.log, self.job = log, cast("Job | None", None)
        arguments = (theirs, log, engine.share, engine.device)
        self.process = spawn.Process(target=serve, args=arguments, daemon=True)
        with _ctrl_c_held_back():
            self.process.start()
        theirs.close()

    def send(self, value: Any) -> None:
        try:
            self.pipe.send(value)
        except OSError:
            return  # it has died, as reading from it will tell

    def fate(self) -> str:
        """How a process that has died did so."""
        self.process.join(5.0)
        code = self.process.exitcode or 0
        if code >= 0:
            return f"its worker ended with exit code {code}"
        name = signal.Signals(-code).name
        return f"its worker was killed by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")

    def end(self) -> None:
        self.pipe.close()  # an idle one ends by that
        self.process.join(1.0)
        self.process.kill()
        self.process.join()

    def last_words(self) -> list[str]:
        return last_lines(self.log.read_text(errors="replace")) if self.log.exists() else []


@contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """A process that is started here begins with Ctrl-C blocked; one that comes meanwhile is kept for afterwards."""
    resource_tracker.ensure_running()  # it would unblock what is blocked, when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(pipe: Connection, log: Path, threads: int, device: str) -> None:
    """A worker's life: train what comes through the pipe until it is closed.

    The terminal sends Ctrl-C and SIGHUP to all processes, and a scheduler SIGTERM, but only the sweep's own decides: a
    worker has the first blocked until the sweep says so, and does not hear the others.
    """
    keep_freed_memory()
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):  # Windows has no SIGHUP
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _write_to(log)

    def tell(event: Event) -> None:
        pipe.send(event)
        if event.kind in (Kind.STARTED, Kind.STEP) and pipe.poll() and pipe.recv() == STOP:
            _interrupt_this_process()

    while True:
        try:
            job = pipe.recv()
            if job == STOP:
                return
            attempt(job, tell, threads=threads, device=device)
        except (EOFError, OSError):
            return


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _write_to(log: Path) -> None:
    """Let all output go to a file: the terminal is the display's."""
    sys.stdout.flush()
    sys.stderr.flush()
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(file, stream)
    os.close(file)


def _interrupt_this_process() -> None:
    """As Ctrl-C does: while it is blocked it counts once, even if the terminal has sent it, too."""
    os.kill(os.getpid(), signal.SIGINT)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
