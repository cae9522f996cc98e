"""Evaluation of large graphs, without gradients, and what it should take."""

from dataclasses import dataclass
from functools import partial

from narlab.bench.cases import Case, evaluation
from narlab.bench.machine import large_product
from narlab.bench.processes import Maker, Measured, in_turns
from narlab.bench.training_steps import GOAL_RATE

GRAPHS, NODES = 32, 64


@dataclass(frozen=True)
class Goal:
    """The most seconds at `GOAL_RATE`, and the most memory in bytes."""

    seconds: float | None = None
    memory: float | None = None


NONE = Goal()
TABLE: dict[Case, Goal] = {
    Case("mpnn_fc", "quicksort", GRAPHS, n=NODES): Goal(3.5),
    Case("two_wl", "quicksort", GRAPHS, n=NODES): Goal(30.0, 3e9),
}


@dataclass(frozen=True)
class Row:
    """The evaluation of all graphs, `at_a_time` in a batch, and a large product, measured in turns."""

    case: Case
    goal: Goal
    at_a_time: int
    fast: Measured
    machine: Measured

    @property
    def goal_seconds(self) -> float | None:
        """At most so many seconds on this machine."""
        return None if self.goal.seconds is None else self.goal.seconds * GOAL_RATE / self.machine.rate

    @property
    def others(self) -> float:
        """Cores that other processes used meanwhile."""
        return self.machine.others


def row(case: Case, goal: Goal, at_a_time: int, *, repeats: int, threads: int | None) -> Row:
    """Measure one case."""
    makers: list[Maker] = [large_product, partial(evaluation, case, at_a_time=at_a_time)]
    machine, fast = in_turns(makers, repeats=repeats, threads=threads)
    return Row(case, goal, at_a_time, fast, machine)
