"""Where a sweep's folder holds what.

| path | what |
|---|---|
| BUDGET/runs/NAME/ | a run's folder, shared by all experiments that need this run |
| BUDGET/EXPERIMENT/ | the experiment's outcome: tables and figures |
| BUDGET/analyses/ | what was computed of trained models, so that it is computed once |
"""

from pathlib import Path

from narlab.common.files import inside
from narlab.training import Run
from narlab.training.identity import folder_in


def run_folder(root: Path, budget: str, run: Run) -> Path:
    """The folder of a run of the sweep in the folder `root`."""
    return folder_in(root / budget / "runs", run)


def outcome_folder(root: Path, budget: str, experiment: str) -> Path:
    return inside(root, budget, experiment)
