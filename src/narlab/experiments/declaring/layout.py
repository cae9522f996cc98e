"""Where a sweep's folder holds what.

| path | what |
|---|---|
| BUDGET/runs/NAME/ | a run's folder, shared by all experiments that need this run |
| BUDGET/EXPERIMENT/ | the experiment's outcome: tables and figures |
| BUDGET/analyses/ | what was computed of trained models, so that it is computed once |
"""

import hashlib
from pathlib import Path

from narlab.training import Run


def run_name(run: Run) -> str:
    """A name that people can read and that tells any two different runs apart."""
    filled = run.resolved()
    digest = hashlib.sha256(filled.to_toml().encode()).hexdigest()[:8]
    parts = (filled.algorithm, filled.dataset, filled.processor.replace(":", "-"), filled.position, str(filled.seed))
    return "-".join((*parts, digest))


def run_folder(root: Path, budget: str, run: Run) -> Path:
    """The folder of a run of the sweep in the folder `root`."""
    return root / budget / "runs" / run_name(run)


def outcome_folder(root: Path, budget: str, experiment: str) -> Path:
    return root / budget / experiment
