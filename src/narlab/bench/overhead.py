"""How much of a training step is not the model: making the batch, and what follows the way back."""

from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from torch import Tensor, nn

from narlab.bench.cases import Case
from narlab.bench.machine_load import LoadMeter
from narlab.bench.processes import alone
from narlab.common.machine import Flag
from narlab.training import ResolvedRun
from narlab.training.environment import Machine
from narlab.training.folder import Folder
from narlab.training.loop import Interrupted, Session

GOAL = 0.05  # of a step
WARM_UP = 2  # steps: all training data is made in the first


@dataclass(frozen=True)
class Overhead:
    """Medians over the steps of a real run, in seconds: the whole step, and what is before and after the model in it.

    Before it come the choice of samples, the batch, random features and positions; after it clipping, Adam and logging.
    """

    case: Case
    step: float
    before: float
    after: float
    share: float  # of the step that is not the model
    others: float  # cores that other processes used meanwhile


@dataclass
class StepClock:
    """Notes when each step ends, and stops the run after some; in between, when the model begins and ends."""

    stop_after: int
    flag: Flag = field(default_factory=Flag)
    began: float = 0.0
    ended: float = 0.0
    rows: list[tuple[float, float, float]] = field(default_factory=list)  # the model begins, ends; the step ends

    def watch(self, model: nn.Module) -> None:
        model.register_forward_pre_hook(self._begin)
        for parameter in model.parameters():
            parameter.register_post_accumulate_grad_hook(self._end)  # the last gradient ends the way back

    def _begin(self, model: nn.Module, inputs: Any) -> None:
        self.began = perf_counter()

    def _end(self, parameter: Tensor) -> None:
        self.ended = perf_counter()

    def start(self, run: ResolvedRun, folder: Path, step: int) -> None:
        pass

    def step(self, step: int, loss: float) -> None:
        self.rows.append((self.began, self.ended, perf_counter()))
        self.flag.is_set = step == self.stop_after

    def evaluation(self, line: dict[str, Any]) -> None:
        pass

    def say(self, text: str) -> None:
        pass

    def stop(self) -> None:
        pass


def overhead(case: Case, *, steps: int, threads: int | None) -> Overhead:
    """Time the steps of a run in a process of its own."""
    return alone(partial(_overhead, case, steps, Machine.of("cpu", threads)), threads=threads)


def _overhead(case: Case, steps: int, machine: Machine) -> Overhead:
    clock, meter = StepClock(WARM_UP + steps), LoadMeter()
    with TemporaryDirectory() as scratch, suppress(Interrupted):
        run, folder = case.run(validate_every=WARM_UP + steps + 1), Folder(scratch)
        folder.begin(run)
        session = Session(run, folder, machine, clock)
        clock.watch(session.learner.model)
        session.train(clock.flag)
    kept = clock.rows[WARM_UP - 1 :]
    pairs = [(before[2], *row) for before, row in pairwise(kept)]
    return Overhead(
        case,
        step=median(end - start for start, _, _, end in pairs),
        before=median(began - start for start, began, _, _ in pairs),
        after=median(end - ended for _, _, ended, end in pairs),
        share=median(1 - (ended - began) / (end - start) for start, began, ended, end in pairs),
        others=meter.others() or 0.0,
    )
