"""A sweep: what of a list of jobs is done, and the execution of the rest."""

from collections.abc import Sequence
from dataclasses import dataclass

from narlab.common import counted
from narlab.common.errors import UsageError
from narlab.experiments.declaring.results import readable_result
from narlab.experiments.sweeping.jobs import Engine, Event, Job, Kind, Tell
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

    def note(self, event: Event) -> None:
        """Write down what ends a job without its result, and that another sweep has finished one after all."""
        if event.kind is Kind.FAILED:
            self.failed[event.job] = event.value
        elif event.kind is Kind.HELD:
            self.held[event.job] = event.value
        elif event.kind is Kind.FINISHED:
            self.held.pop(event.job, None)

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
    done = {job.folder for job in jobs if readable_result(job.folder) is not None}
    left = [job for job in jobs if job.folder not in done]
    begun = {job.folder for job in left if Folder(job.folder).is_run()}
    return Plan(
        tuple(job for job in jobs if job.folder in done),
        tuple(job for job in left if job.folder in begun),
        tuple(job for job in left if job.folder not in begun),
    )


def reached(job: Job) -> int:
    """The step of a job's last evaluation, from which it goes on; 0 if that can't be read, as training it will say."""
    try:
        return Folder(job.folder).last_metrics().get("step", 0)
    except UsageError:
        return 0


def execute(jobs: Sequence[Job], engine: Engine, show: Tell) -> Ending:
    """Train what is not done; a job that fails or that another sweep holds does not keep the others from being trained.

    A job that another sweep has let go of without finishing it is taken up at the end. `show` is told of every event.
    """
    ending = Ending({}, {})

    def note(event: Event) -> None:
        ending.note(event)
        if event.kind is not Kind.STOPPED:  # nobody's business: the sweep itself asked for it
            show(event)

    left = plan(jobs).left
    while left:
        for job in left:
            ending.held.pop(job, None)
        engine.execute(left, note)
        theirs = plan(tuple(ending.held))
        for job in theirs.done:
            note(Event(Kind.FINISHED, job))
        left = tuple(job for job in theirs.left if Folder(job.folder).holder() is None)
    return ending
