"""A sweep: what of a list of jobs is done, and the execution of the rest."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from narlab.common.text import counted
from narlab.experiments.sweeping.jobs import Engine, Job, Watcher
from narlab.training.folder import Folder


class SweepError(RuntimeError):
    """Not every run of a sweep came to its end."""


@dataclass(frozen=True)
class Plan:
    """What is done of some jobs, what was begun, and what is missing."""

    done: tuple[Job, ...]
    begun: tuple[Job, ...]
    missing: tuple[Job, ...]

    @property
    def left(self) -> tuple[Job, ...]:
        """What has to be trained; what was begun comes first."""
        return self.begun + self.missing


@dataclass(frozen=True)
class Ending:
    """How a sweep ended: the last lines of each job that failed, and who trains each that others have."""

    failed: dict[Job, list[str]]
    held: dict[Job, str]

    def check(self) -> None:
        """Raise a `SweepError` unless every job is done."""
        if self.failed:
            names = ", ".join(job.name for job in self.failed)
            raise SweepError(f"{counted(len(self.failed), 'run')} failed: {names}; the same command tries again")
        if self.held:
            owners = "; ".join(dict.fromkeys(self.held.values()))
            raise SweepError(
                f"another sweep still trains {counted(len(self.held), 'run')}: {owners}; try again when it is done"
            )


def plan(jobs: Sequence[Job]) -> Plan:
    """Look at the folders of all jobs."""
    folders = {job: Folder(job.folder) for job in jobs}
    done = tuple(job for job, folder in folders.items() if folder.result() is not None)
    begun = tuple(job for job, folder in folders.items() if job not in done and folder.is_run())
    return Plan(done, begun, tuple(job for job in jobs if job not in (*done, *begun)))


def reached(job: Job) -> int:
    """The step of a job's last evaluation, from which it goes on."""
    metrics = Folder(job.folder).metrics()
    return metrics[-1]["step"] if metrics else 0


def execute(jobs: Sequence[Job], engine: Engine, watcher: Watcher) -> Ending:
    """Train what is not done; a job that fails or that another sweep holds does not keep the others from being trained.

    A job that another sweep has let go of without finishing it is taken up at the end.
    """
    notes = _Notes(watcher)
    left = plan(jobs).left
    while left:
        for job in left:
            notes.owners.pop(job, None)
        engine.execute(left, notes)
        theirs = plan(tuple(notes.owners))
        for job in theirs.done:
            notes.finished(job)
        left = tuple(job for job in theirs.left if Folder(job.folder).holder() is None)
    return Ending(notes.failures, notes.owners)


@dataclass
class _Notes:
    """Writes down what failed and what others hold, and hands everything on."""

    watcher: Watcher
    failures: dict[Job, list[str]] = field(default_factory=dict)
    owners: dict[Job, str] = field(default_factory=dict)

    def started(self, job: Job, step: int) -> None:
        self.watcher.started(job, step)

    def step(self, job: Job, step: int) -> None:
        self.watcher.step(job, step)

    def evaluation(self, job: Job, line: dict[str, Any]) -> None:
        self.watcher.evaluation(job, line)

    def finished(self, job: Job) -> None:
        self.owners.pop(job, None)
        self.watcher.finished(job)

    def failed(self, job: Job, lines: list[str]) -> None:
        self.failures[job] = lines
        self.watcher.failed(job, lines)

    def held(self, job: Job, owner: str) -> None:
        self.owners[job] = owner
        self.watcher.held(job, owner)

    def say(self, text: str) -> None:
        self.watcher.say(text)
