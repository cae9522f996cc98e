"""What a run says while it trains."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from narlab.common import duration, printable
from narlab.training.run import ResolvedRun


class Reporter(Protocol):
    """Is told of every step and every evaluation."""

    def start(self, run: ResolvedRun, folder: Path, step: int) -> None: ...

    def step(self, step: int, loss: float) -> None: ...

    def evaluation(self, line: dict[str, Any]) -> None: ...

    def say(self, text: str) -> None: ...

    def stop(self) -> None: ...


@dataclass
class PlainLines:
    """A line for each evaluation, with the time left."""

    write: Callable[[str], None] = field(default=lambda text: print(text, flush=True))
    run: ResolvedRun | None = None
    first: int = 0
    began: float = 0.0

    def start(self, run: ResolvedRun, folder: Path, step: int) -> None:
        self.run, self.first, self.began = run, step, time.perf_counter()
        what = f"{run.algorithm} on {run.dataset}: {run.processor}, {run.position}, seed {run.seed}"
        self.write(what if step == 0 else f"{what}, going on after step {step}")

    def step(self, step: int, loss: float) -> None:
        pass

    def evaluation(self, line: dict[str, Any]) -> None:
        assert self.run is not None
        rate = (line["step"] - self.first) / max(time.perf_counter() - self.began, 1e-9)
        left = (self.run.steps - line["step"]) / max(rate, 1e-9)
        scores = "".join(f"  {name} {100 * line[name]:6.2f}" for name in ("val", "test") if name in line)
        self.write(
            f"step {line['step']}/{self.run.steps}  loss {line['loss']:.4f}{scores}"
            f"  {rate:.1f} steps/s  {duration(left)} left"
        )

    def say(self, text: str) -> None:
        self.write(printable(text))

    def stop(self) -> None:
        pass
