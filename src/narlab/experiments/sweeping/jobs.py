"""Jobs, the engines that execute them, and what happens to them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from narlab.experiments.declaring import layout
from narlab.training import ResolvedRun, Run


@dataclass(frozen=True)
class Job:
    """A run to be trained in its folder, which may hold a part of it already."""

    run: ResolvedRun
    folder: Path

    @classmethod
    def of(cls, root: Path, budget: str, run: Run) -> "Job":
        """The run as a job of the sweep in the folder `root`."""
        filled = run.resolved()
        return cls(filled, layout.run_folder(root, budget, filled))

    @property
    def name(self) -> str:
        """The folder's name, which tells runs apart."""
        return self.folder.name


class Kind(StrEnum):
    """What can happen to a job, and what an event's value is then."""

    STARTED = "started"  # a worker trains it, from this step on
    STEP = "step"  # it is at this step; told a few times per second at most
    EVALUATION = "evaluation"  # this line was added to its metrics
    FINISHED = "finished"  # its folder holds its result
    FAILED = "failed"  # it can't be done; these last lines say why, and the others go on
    HELD = "held"  # another sweep, whose owner this is, trains it, so it is left to it
    STOPPED = "stopped"  # its worker was asked to stop
    SAID = "said"  # a word to the user, such as that a worker was lost and its job goes on elsewhere


ENDS = (Kind.FINISHED, Kind.FAILED, Kind.HELD, Kind.STOPPED)


@dataclass(frozen=True)
class Event:
    """Something that happened to a job.

    It is made by the reporter of the job's training, comes through the engine, and ends at whoever called `execute`.
    """

    kind: Kind
    job: Job
    value: Any = None


Tell = Callable[[Event], None]


class Engine(Protocol):
    """Executes jobs, and tells what happens to them in the process that called it.

    It returns when each has finished, failed or is held; `KeyboardInterrupt` saves all it can.
    """

    def execute(self, jobs: Sequence[Job], tell: Tell) -> None: ...
