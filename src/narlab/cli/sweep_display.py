"""How a sweep shows itself: one live display of all runs in a terminal, plain lines elsewhere."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from narlab.common.text import duration
from narlab.experiments.sweeping.jobs import Job
from narlab.training.folder import Folder

QUIET = 60.0  # seconds between two lines on one run


class Clock:
    """How long a sweep will take yet, from the pace of the runs so far."""

    def __init__(self, jobs: Sequence[Job], reached: dict[Job, int]) -> None:
        self.left = {job: job.run.steps - reached.get(job, 0) for job in jobs}
        self.began: dict[Job, tuple[float, int]] = {}
        self.paces: dict[Job, float] = {}  # seconds per step
        self.running: set[Job] = set()

    def start(self, job: Job, step: int) -> None:
        self.began[job] = (monotonic(), step)
        self.left[job] = job.run.steps - step
        self.running.add(job)

    def step(self, job: Job, step: int) -> None:
        began, first = self.began[job]
        self.left[job] = job.run.steps - step
        if step > first:
            self.paces[job] = (monotonic() - began) / (step - first)

    def end(self, job: Job) -> None:
        self.left.pop(job, None)
        self.running.discard(job)

    def run_left(self, job: Job) -> str:
        return duration(self._seconds(job)) if job in self.paces else "-"

    def all_left(self) -> str:
        """For people; `-` as long as nothing is known."""
        if not self.paces:
            return "-"
        seconds = [self._seconds(job) for job in self.left]
        return duration(max(sum(seconds) / max(len(self.running), 1), max(seconds, default=0.0)))

    def _seconds(self, job: Job) -> float:
        """From its own pace, else from that of the runs most like it."""
        alike = [pace for other, pace in self.paces.items() if other.run.processor == job.run.processor]
        known = alike or list(self.paces.values())
        return self.left[job] * self.paces.get(job, sum(known) / len(known))


class Lines:
    """A line when a run starts, ends or has been quiet for long."""

    def __init__(
        self, jobs: Sequence[Job], reached: dict[Job, int], write: Callable[[str], None] | None = None
    ) -> None:
        self.write = write or partial(print, flush=True)
        self.clock = Clock(jobs, reached)
        self.all, self.ended = len(jobs), 0
        self.said: dict[Job, float] = {}

    def __enter__(self) -> "Lines":
        return self

    def __exit__(self, *error: object) -> None:
        return

    def started(self, job: Job, step: int) -> None:
        self.clock.start(job, step)
        self.said[job] = monotonic()
        self.write(f"{job.name}: " + (f"goes on after step {step}" if step else "started"))

    def step(self, job: Job, step: int) -> None:
        self.clock.step(job, step)

    def evaluation(self, job: Job, line: dict[str, Any]) -> None:
        if monotonic() - self.said[job] >= QUIET:
            self.said[job] = monotonic()
            self.write(
                f"{job.name}: step {line['step']}/{job.run.steps}, loss {line['loss']:.4f}, "
                f"val {100 * line['val']:.2f}, {self.clock.run_left(job)} left"
            )

    def finished(self, job: Job) -> None:
        result = Folder(job.folder).result() or {}
        scores = ", ".join(f"{name} {100 * result[name]:.2f}" for name in ("val", "test") if name in result)
        self._end(job, f"done: {scores}")

    def failed(self, job: Job, lines: list[str]) -> None:
        self._end(job, "failed:", *lines)

    def held(self, job: Job, owner: str) -> None:
        self.clock.end(job)
        self.write(f"{job.name}: left to another sweep: {owner}")

    def say(self, text: str) -> None:
        self.write(text)

    def _end(self, job: Job, what: str, *more: str) -> None:
        self.ended += 1
        self.clock.end(job)
        left = f", {self.clock.all_left()} left" if self.clock.left and self.clock.paces else ""
        self.write("\n    ".join([f"[{self.ended}/{self.all}{left}] {job.name} {what}", *more]))


class Live:
    """A bar for each run that is trained, one for all of them, and lines above for what has ended."""

    def __init__(self, jobs: Sequence[Job], reached: dict[Job, int]) -> None:
        console = Console(highlight=False, soft_wrap=True)
        self.lines = Lines(jobs, reached, write=lambda text: console.print(text, markup=False))
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self.bars = Progress(*columns, console=console)
        self.all = self.bars.add_task("all runs", total=len(jobs), left="")
        self.tasks: dict[Job, TaskID] = {}

    def __enter__(self) -> "Live":
        self.bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.bars.stop()

    def started(self, job: Job, step: int) -> None:
        self._remove(job)
        self.lines.clock.start(job, step)
        self.lines.said[job] = monotonic()
        self.tasks[job] = self.bars.add_task(job.name, total=job.run.steps, completed=step, left="")

    def step(self, job: Job, step: int) -> None:
        self.lines.step(job, step)
        clock = self.lines.clock
        self.bars.update(self.tasks[job], completed=step, left=f"{clock.run_left(job)} left")
        self.bars.update(self.all, left=f"{clock.all_left()} left")

    def evaluation(self, job: Job, line: dict[str, Any]) -> None:
        self.bars.update(self.tasks[job], description=f"{job.name}  val {100 * line['val']:.2f}")

    def finished(self, job: Job) -> None:
        self.lines.finished(job)
        self._remove(job)

    def failed(self, job: Job, lines: list[str]) -> None:
        self.lines.failed(job, lines)
        self._remove(job)

    def held(self, job: Job, owner: str) -> None:
        self._remove(job)
        self.lines.held(job, owner)

    def say(self, text: str) -> None:
        self.lines.say(text)

    def _remove(self, job: Job) -> None:
        if job in self.tasks:
            self.bars.remove_task(self.tasks.pop(job))
        self.bars.update(self.all, completed=self.lines.ended)


def display(jobs: Sequence[Job], reached: dict[Job, int]) -> Lines | Live:
    """The display that fits where the output goes; `reached` are the steps from which begun jobs go on."""
    return Live(jobs, reached) if sys.stdout.isatty() else Lines(jobs, reached)
