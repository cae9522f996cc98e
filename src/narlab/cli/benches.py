"""What `narlab bench train` measures, by its options: for each table the rows to measure, and how to show them."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import torch

from narlab.cli import bench_tables as tables
from narlab.cli.overhead import overhead as measure_overhead
from narlab.cli.tables import progress_bar
from narlab.common.errors import UsageError
from narlab.evaluation.prediction import batch_size
from narlab.models.benchmark import evaluation as evaluations
from narlab.models.benchmark import scaling as scalings
from narlab.models.benchmark import training as trainings
from narlab.models.benchmark.case import Case
from narlab.models.benchmark.load import used_by_others
from narlab.models.benchmark.machine import description

if TYPE_CHECKING:
    from narlab.cli.commands.bench_train import BenchTrain

Goal = TypeVar("Goal")
NOTICEABLE = 0.15  # cores used by others
SUSPECT = "seconds come out too long and ratios too large, since the plain path suffers most"
STEPS_PER_REPEAT = 4  # of the run in which the time between steps is measured


@dataclass(frozen=True)
class Bench:
    """Rows to measure one after the other, and how to show them."""

    measurements: Sequence[Callable[[], Any]]
    show: Callable[[list[Any]], None]

    def run(self) -> list[dict[str, Any]]:
        """Measure and print; what was measured, for machines."""
        rows = []
        with progress_bar() as bar:
            task = bar.add_task("measuring", total=len(self.measurements))
            for measure in self.measurements:
                rows.append(measure())
                bar.update(task, advance=1)
        self.show(rows)
        warn_if_busy(max(row.others for row in rows), "used", SUSPECT)
        return [as_data(row) for row in rows]


def announce(command: "BenchTrain") -> dict[str, Any]:
    """Say which machine it is, and whether it is busy; the same for machines."""
    warn_if_busy(used_by_others(), "are using", SUSPECT)
    machine, threads = description(), command.threads or torch.get_num_threads()
    print(tables.of_machine(machine, threads))
    return {"machine": machine, "threads": threads, "repeats": command.repeats}


def warn_if_busy(cores: float, use: str, so: str) -> None:
    if cores > NOTICEABLE:
        print(f"narlab: warning: other processes {use} {cores:.1f} cores: {so}", file=sys.stderr, flush=True)


def training(command: "BenchTrain") -> Bench:
    cases = _changed(trainings.chosen(command.processors, command.algorithms), command, trainings.NONE)
    measure = partial(trainings.row, repeats=command.repeats, threads=command.threads)
    return Bench([partial(measure, case, goal) for case, goal in cases.items()], tables.show_training)


def scaling(command: "BenchTrain") -> Bench:
    largest = max(command.sizes)
    growths = {growth.case: growth for growth in scalings.GROWTHS}
    chosen = [replace(growth, case=_change(case, command)) for case, growth in _named(growths, command).items()]
    cases = [growth.at(n, largest) for growth in chosen for n in sorted(command.sizes)]
    for case in cases:
        case.check()
    measure = partial(scalings.point, repeats=command.repeats, threads=command.threads)
    return Bench([partial(measure, case) for case in cases], tables.show_scaling)


def evaluation(command: "BenchTrain") -> Bench:
    """Batches are as large as evaluation makes them."""
    cases = _changed(_named(evaluations.TABLE, command), command, evaluations.NONE)
    measure = partial(evaluations.row, repeats=command.repeats, threads=command.threads)
    rows = [partial(measure, case, goal, batch_size(case.build(), case.nodes)) for case, goal in cases.items()]
    return Bench(rows, tables.show_evaluation)


def overhead(command: "BenchTrain") -> Bench:
    cases = _changed(trainings.chosen(command.processors, command.algorithms), command, trainings.NONE)
    measure = partial(measure_overhead, steps=STEPS_PER_REPEAT * command.repeats, threads=command.threads)
    return Bench([partial(measure, case) for case in cases], tables.show_overhead)


def _named(table: Mapping[Case, Goal], command: "BenchTrain") -> dict[Case, Goal]:
    """The rows of the processors and algorithms that were named."""
    found = {case: goal for case, goal in table.items() if _is_named(case, command)}
    if not found:
        names = ", ".join((*command.processors, *command.algorithms))
        known = ", ".join(f"{case.processor} on {case.algorithm}" for case in table)
        raise UsageError(f"this table has no row of {names}; it has {known}")
    return found


def _is_named(case: Case, command: "BenchTrain") -> bool:
    processors, algorithms = command.processors, command.algorithms
    return case.processor in (processors or [case.processor]) and case.algorithm in (algorithms or [case.algorithm])


def _changed(table: Mapping[Case, Goal], command: "BenchTrain", none: Goal) -> dict[Case, Goal]:
    """The rows with the sizes that were given; of those that differ no goal is known."""
    changed = {case: _change(case, command) for case in table}
    for case in changed.values():
        case.check()
    return {after: table[case] if after == case else none for case, after in changed.items()}


def _change(case: Case, command: "BenchTrain") -> Case:
    given = {name: getattr(command, name) for name in ("graphs", "n", "hidden", "depth")}
    return replace(case, **{name: value for name, value in given.items() if value is not None})


def as_data(row: Any) -> dict[str, Any]:
    """A row with all that is computed from it."""
    computed = {name for name, value in vars(type(row)).items() if isinstance(value, property)}
    found = asdict(row) | {name: getattr(row, name) for name in sorted(computed)}
    for name, part in vars(row).items():
        if hasattr(part, "rate"):
            found[name]["rate"] = part.rate
    return found
