"""How a sweep shows itself: one live display of all runs in a terminal, plain lines elsewhere."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from narlab.common import duration, printable
from narlab.experiments.sweeping.jobs import ENDS, Event, Job, Kind
from narlab.training.folder import Folder

QUIET = 60.0  # seconds between two lines on one run


class TimeLeft:
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


class SweepLines:
    """A line when a run starts, ends or has been quiet for long."""

    def __init__(
        self, jobs: Sequence[Job], reached: dict[Job, int], write: Callable[[str], None] | None = None
    ) -> None:
        self.write = write or partial(print, flush=True)
        self.clock = TimeLeft(jobs, reached)
        self.all, self.ended = len(jobs), 0
        self.said: dict[Job, float] = {}

    def __enter__(self) -> "SweepLines":
        return self

    def __exit__(self, *error: object) -> None:
        return

    def __call__(self, event: Event) -> None:
        """Show what happened to a job."""
        self.note_time(event)
        job, value = event.job, event.value
        match event.kind:
            case Kind.STARTED:
                self.write(f"{job.name}: " + (f"goes on after step {value}" if value else "started"))
            case Kind.EVALUATION:
                self._evaluation(job, value)
            case Kind.FINISHED:
                self._end(job, f"done: {_scores(job)}")
            case Kind.FAILED:
                self._end(job, "failed:", *value)
            case Kind.HELD:
                self.write(f"{job.name}: left to another sweep: {value}")
            case Kind.SAID:
                self.write(printable(value))

    def note_time(self, event: Event) -> None:
        """What an event says of the time that is left."""
        match event.kind:
            case Kind.STARTED:
                self.clock.start(event.job, event.value)
                self.said[event.job] = monotonic()
            case Kind.STEP:
                self.clock.step(event.job, event.value)
            case Kind.FINISHED | Kind.FAILED | Kind.HELD:
                self.clock.end(event.job)

    def _evaluation(self, job: Job, line: dict[str, Any]) -> None:
        if monotonic() - self.said[job] >= QUIET:
            self.said[job] = monotonic()
            self.write(
                f"{job.name}: step {line['step']}/{job.run.steps}, loss {line['loss']:.4f}, "
                f"val {100 * line['val']:.2f}, {self.clock.run_left(job)} left"
            )

    def _end(self, job: Job, what: str, *more: str) -> None:
        self.ended += 1
        left = f", {self.clock.all_left()} left" if self.clock.left and self.clock.paces else ""
        self.write("\n    ".join([f"[{self.ended}/{self.all}{left}] {job.name} {what}", *more]))


def _scores(job: Job) -> str:
    result = Folder(job.folder).result() or {}
    return ", ".join(f"{name} {100 * result[name]:.2f}" for name in ("val", "test") if name in result)


class SweepBars:
    """A bar for each run that is trained, one for all of them, and lines above for what has ended."""

    def __init__(self, jobs: Sequence[Job], reached: dict[Job, int]) -> None:
        console = Console(highlight=False, soft_wrap=True)
        self.lines = SweepLines(jobs, reached, write=lambda text: console.print(text, markup=False))
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self.bars = Progress(*columns, console=console)
        self.all = self.bars.add_task("all runs", total=len(jobs), left="")
        self.tasks: dict[Job, TaskID] = {}

    def __enter__(self) -> "SweepBars":
        self.bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.bars.stop()

    def __call__(self, event: Event) -> None:
        """Show what happened to a job."""
        job, clock = event.job, self.lines.clock
        match event.kind:
            case Kind.STARTED:
                self._remove(job)
                self.lines.note_time(event)
                self.tasks[job] = self.bars.add_task(job.name, total=job.run.steps, completed=event.value, left="")
            case Kind.STEP:
                self.lines.note_time(event)
                self.bars.update(self.tasks[job], completed=event.value, left=f"{clock.run_left(job)} left")
                self.bars.update(self.all, left=f"{clock.all_left()} left")
            case Kind.EVALUATION:
                self.bars.update(self.tasks[job], description=f"{job.name}  val {100 * event.value['val']:.2f}")
            case _:
                self.lines(event)
                if event.kind in ENDS:
                    self._remove(job)

    def _remove(self, job: Job) -> None:
        if job in self.tasks:
            self.bars.remove_task(self.tasks.pop(job))
        self.bars.update(self.all, completed=self.lines.ended)


def display(jobs: Sequence[Job], reached: dict[Job, int]) -> SweepLines | SweepBars:
    """The display that fits where the output goes; `reached` are the steps from which begun jobs go on."""
    return SweepBars(jobs, reached) if sys.stdout.isatty() else SweepLines(jobs, reached)
