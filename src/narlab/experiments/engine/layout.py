"""Where a sweep's folder holds what.

| path | what |
|---|---|
| BUDGET/runs/NAME/ | a run's folder, shared by all experiments that need this run |
| BUDGET/EXPERIMENT/ | the experiment's outcome: tables and figures |
| BUDGET/analyses/ | what was computed of trained models, so that it is computed once |
"""

from pathlib import Path

from narlab.experiments.engine.job import Job
from narlab.training import Run
from narlab.training.identity import folder_in


def job(root: Path, budget: str, run: Run) -> Job:
    """The run as a job of the sweep in the folder `root`."""
    return Job(run.resolved(), folder_in(root / budget / "runs", run))


def outcome_folder(root: Path, budget: str, experiment: str) -> Path:
    return root / budget / experiment
