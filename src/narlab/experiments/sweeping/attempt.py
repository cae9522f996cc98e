"""One attempt at a job in a worker."""

import time
import traceback
from pathlib import Path
from typing import Any

from narlab.common.errors import UsageError
from narlab.experiments.sweeping.jobs import Event, Job, Kind, Tell
from narlab.training import DivergedError, ResolvedRun, train
from narlab.training.folder import HeldError

LINES = 12  # of a traceback or a log, that tell why a job failed
PAUSE = 0.25  # seconds between two steps that are told


def attempt(job: Job, tell: Tell, *, threads: int, device: str) -> None:
    """Train the job with so many threads and tell what happens to it; the last event is an end."""
    try:
        train(job.run, job.folder, device=device, threads=threads, reporter=EventReporter(job, tell))
    except HeldError as error:
        tell(Event(Kind.HELD, job, error.owner))
    except KeyboardInterrupt:
        tell(Event(Kind.STOPPED, job))
    except (UsageError, DivergedError) as error:  # known, and said in a line
        tell(Event(Kind.FAILED, job, [str(error)]))
    except Exception:
        tell(Event(Kind.FAILED, job, last_lines(traceback.format_exc())))
    else:
        tell(Event(Kind.FINISHED, job))


def last_lines(text: str) -> list[str]:
    """Those that tell why something failed."""
    return text.strip().splitlines()[-LINES:]


class EventReporter:
    """A training's reporter that tells of events, of steps only now and then."""

    def __init__(self, job: Job, tell: Tell) -> None:
        self.job, self.tell = job, tell
        self.told = 0.0  # when the last step was

    def start(self, run: ResolvedRun, folder: Path, step: int) -> None:
        self.tell(Event(Kind.STARTED, self.job, step))

    def step(self, step: int, loss: float) -> None:
        now = time.monotonic()
        if now - self.told >= PAUSE:
            self.told = now
            self.tell(Event(Kind.STEP, self.job, step))

    def evaluation(self, line: dict[str, Any]) -> None:
        self.tell(Event(Kind.EVALUATION, self.job, line))

    def say(self, text: str) -> None:
        self.tell(Event(Kind.SAID, self.job, f"{self.job.name}: {text}"))

    def stop(self) -> None:
        pass
