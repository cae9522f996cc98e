"""Weights & Biases: every evaluation as a step of a W&B run, whose files are in `wandb/` of the run's folder."""

import json
import secrets
from dataclasses import asdict, dataclass
from typing import Any

from narlab.common.errors import UsageError
from narlab.training.folder import Folder
from narlab.training.identity import run_name
from narlab.training.reporters import AbstractReporter
from narlab.training.run import ResolvedRun

FILE = "wandb.json"
MODES = ("online", "offline", "disabled")


@dataclass
class Reporter(AbstractReporter):
    """Writes to a run of the project; in the mode "offline" to files that `wandb sync` sends.

    A run that goes on goes on in W&B, too: the folder keeps the id, and the last step that was written. Evaluations of
    a time without this reporter are written when it begins.
    """

    project: str = "narlab"
    mode: str = "online"

    def check(self) -> None:
        if self.mode not in MODES:
            raise UsageError(f"mode of wandb must be online, offline or disabled, got {self.mode!r}")
        try:
            import wandb
        except ImportError:
            raise UsageError("Weights & Biases is not installed; get it with: pip install 'narlab[wandb]'") from None
        self._wandb: Any = wandb
        self._run: Any = None

    def begin(self, run: ResolvedRun, folder: Folder) -> None:
        self._folder = folder
        path = folder.path / FILE
        self._known = json.loads(path.read_bytes()) if path.exists() else {"id": secrets.token_hex(8), "step": 0}
        self._run = self._wandb.init(
            project=self.project,
            mode=self.mode,
            id=self._known["id"],
            name=run_name(run),
            resume="allow" if self.mode == "online" else None,
            dir=str(folder.path),
            config=asdict(run),
            settings=self._wandb.Settings(console="off", silent=True),
        )
        for line in folder.metrics():
            self.write(line)

    def write(self, line: dict[str, Any]) -> None:
        if line["step"] <= self._known["step"]:
            return
        self._known["step"] = line["step"]
        self._folder.write(FILE, json.dumps(self._known).encode())  # first: nothing is written twice
        self._run.log({name: value for name, value in line.items() if name != "step"}, step=line["step"])

    def end(self) -> None:
        if self._run is not None:
            self._run.finish()
