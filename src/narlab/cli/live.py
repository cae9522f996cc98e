"""How a run shows itself in a terminal: a live display."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from narlab.training.reporting import PlainLines
from narlab.training.run import ResolvedRun


@dataclass
class Live:
    """A bar with loss, scores, steps per second and the time left."""

    console: Console = field(default_factory=Console)
    lines: PlainLines = field(init=False)
    bar: Progress | None = None
    task: TaskID | None = None

    def __post_init__(self) -> None:
        self.lines = PlainLines(write=lambda text: self.console.print(text, highlight=False, markup=False))

    def start(self, run: ResolvedRun, folder: Path, step: int) -> None:
        self.lines.start(run, folder, step)
        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("loss {task.fields[loss]:.4f}"),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("left"),
        )
        self.bar = Progress(*columns, console=self.console)
        self.task = self.bar.add_task("", total=run.steps, completed=step, loss=0.0, rate="")
        self.bar.start()

    def step(self, step: int, loss: float) -> None:
        assert self.bar is not None
        assert self.task is not None
        speed = self.bar.tasks[0].speed
        self.bar.update(self.task, completed=step, loss=loss, rate=f"{speed:.1f} steps/s" if speed else "")

    def evaluation(self, line: dict[str, Any]) -> None:
        self.lines.evaluation(line)

    def say(self, text: str) -> None:
        self.lines.say(text)

    def stop(self) -> None:
        if self.bar is not None:
            self.bar.stop()
