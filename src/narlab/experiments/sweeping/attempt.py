"""One attempt at a job in a worker, and what it sends to those who watch.

A message is the name of a watcher's method and its values without the job: `("step", 120)`. The last one of an attempt
is one of `ENDS`; "stopped" is that of a worker that was asked to stop, and no watcher's.
"""

import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from narlab.common.errors import UsageError
from narlab.experiments.sweeping.jobs import Job, Watcher
from narlab.training import DivergedError, Run, train
from narlab.training.folder import HeldError

Message = tuple[str, Any]
Send = Callable[[str, Any], None]

ENDS = ("finished", "failed", "held", "stopped")
LINES = 12  # of a traceback or a log, that tell why a job failed
PAUSE = 0.25  # seconds between two steps that are told


def attempt(job: Job, send: Send, *, threads: int, device: str) -> None:
    """Train the job with so many threads and send what happens to it."""
    try:
        train(job.run, job.folder, device=device, threads=threads, reporter=Relay(send))
    except HeldError as error:
        send("held", error.owner)
    except KeyboardInterrupt:
        send("stopped", None)
    except (UsageError, DivergedError) as error:  # known, and said in a line
        send("failed", [str(error)])
    except Exception:
        send("failed", last_lines(traceback.format_exc()))
    else:
        send("finished", None)


def tell(watcher: Watcher, job: Job, message: Message) -> None:
    """Hand a worker's message on to a watcher."""
    kind, value = message
    if kind == "say":
        watcher.say(f"{job.name}: {value}")
    elif kind == "finished":
        watcher.finished(job)
    else:
        getattr(watcher, kind)(job, value)


def last_lines(text: str) -> list[str]:
    return text.strip().splitlines()[-LINES:]


class Relay:
    """A reporter that sends on what it is told, steps only now and then."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.told = 0.0  # when the last step was

    def start(self, run: Run, folder: Path, step: int) -> None:
        self.send("started", step)

    def step(self, step: int, loss: float) -> None:
        now = time.monotonic()
        if now - self.told >= PAUSE:
            self.told = now
            self.send("step", step)

    def evaluation(self, line: dict[str, Any]) -> None:
        self.send("evaluation", line)

    def say(self, text: str) -> None:
        self.send("say", text)

    def stop(self) -> None:
        pass
