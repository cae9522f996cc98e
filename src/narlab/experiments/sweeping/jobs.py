"""Jobs, the engines that execute them, and those who watch."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from narlab.experiments.declaring import layout
from narlab.training import Run


@dataclass(frozen=True)
class Job:
    """A run to be trained in its folder. `run` is resolved; the folder may hold a part of it already."""

    run: Run
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


class Watcher(Protocol):
    """Is told, in the process that called the engine, what happens to jobs."""

    def started(self, job: Job, step: int) -> None:
        """A worker trains the job, from `step` on."""

    def step(self, job: Job, step: int) -> None:
        """The job is at this step; told now and then, at most a few times per second."""

    def evaluation(self, job: Job, line: dict[str, Any]) -> None:
        """A line was added to the job's metrics."""

    def finished(self, job: Job) -> None:
        """The job's folder holds its result."""

    def failed(self, job: Job, lines: list[str]) -> None:
        """The job can't be done; its last lines say why. The others go on."""

    def held(self, job: Job, owner: str) -> None:
        """Another sweep trains the job, so it is left to it; `owner` says whose."""

    def say(self, text: str) -> None:
        """A word to the user, such as that a worker was lost and its job goes on elsewhere."""


class Engine(Protocol):
    """Executes jobs. It returns when each has finished, failed or is held; `KeyboardInterrupt` saves all it can."""

    def execute(self, jobs: Sequence[Job], watcher: Watcher) -> None: ...
