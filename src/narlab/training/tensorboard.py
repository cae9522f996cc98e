"""Metrics for TensorBoard, beside another reporter."""

from pathlib import Path
from typing import Any

from narlab.training.reporting import Reporter
from narlab.training.run import Run


class TensorBoard:
    """Writes every evaluation to `tensorboard/` in the run's folder, and passes all on to `shown`."""

    def __init__(self, shown: Reporter) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise ValueError("TensorBoard is not installed; get it with: pip install 'narlab[tensorboard]'") from None
        self._new_writer: Any = SummaryWriter
        self._writer: Any = None
        self._shown = shown

    def start(self, run: Run, folder: Path, step: int) -> None:
        self._writer = self._new_writer(str(folder / "tensorboard"), purge_step=step + 1)
        self._shown.start(run, folder, step)

    def step(self, step: int, loss: float) -> None:
        self._shown.step(step, loss)

    def evaluation(self, line: dict[str, Any]) -> None:
        for name, value in line.items():
            if name not in ("step", "seconds"):
                self._writer.add_scalar(name, value, line["step"])
        self._shown.evaluation(line)

    def say(self, text: str) -> None:
        self._shown.say(text)

    def stop(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._shown.stop()
