"""What `narlab bench train` measures, by its options: for each table the rows to measure, and how to show them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from narlab.bench import evaluations, presentation, scaling, training_steps
from narlab.bench.cases import Case
from narlab.bench.overhead import overhead as measure_overhead
from narlab.bench.presentation import Presentation
from narlab.common.errors import UsageError
from narlab.evaluation.prediction import batch_size

Goal = TypeVar("Goal")
STEPS_PER_REPEAT = 4  # of the run in which the time between steps is measured


@dataclass(frozen=True)
class Request:
    """What is asked for: rows of these processors and algorithms (none: all), how often, with how many threads.

    `sizes` are those of scaling; `changes` are settings of a case, such as "n", in place of the tables' own; a `None`
    changes nothing.
    """

    processors: tuple[str, ...] = ()
    algorithms: tuple[str, ...] = ()
    sizes: tuple[int, ...] = scaling.SIZES
    repeats: int = 5
    threads: int | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Bench:
    """Rows to measure one after the other, and how to show them."""

    measurements: Sequence[Callable[[], Any]]
    present: Callable[[list[Any]], Presentation]


def training(request: Request) -> Bench:
    cases = _changed(training_steps.chosen(request.processors, request.algorithms), request, training_steps.NONE)
    measure = partial(training_steps.row, repeats=request.repeats, threads=request.threads)
    return Bench([partial(measure, case, goal) for case, goal in cases.items()], presentation.of_training)


def growth(request: Request) -> Bench:
    largest = max(request.sizes)
    growths = {growth.case: growth for growth in scaling.GROWTHS}
    chosen = [replace(growth, case=_change(case, request)) for case, growth in _named(growths, request).items()]
    cases = [growth.at(n, largest) for growth in chosen for n in sorted(request.sizes)]
    for case in cases:
        case.check()
    measure = partial(scaling.point, repeats=request.repeats, threads=request.threads)
    return Bench([partial(measure, case) for case in cases], presentation.of_scaling)


def evaluation(request: Request) -> Bench:
    """Batches are as large as evaluation makes them."""
    cases = _changed(_named(evaluations.TABLE, request), request, evaluations.NONE)
    measure = partial(evaluations.row, repeats=request.repeats, threads=request.threads)
    rows = [partial(measure, case, goal, batch_size(case.build(), case.nodes)) for case, goal in cases.items()]
    return Bench(rows, presentation.of_evaluation)


def overhead(request: Request) -> Bench:
    cases = _changed(training_steps.chosen(request.processors, request.algorithms), request, training_steps.NONE)
    measure = partial(measure_overhead, steps=STEPS_PER_REPEAT * request.repeats, threads=request.threads)
    return Bench([partial(measure, case) for case in cases], presentation.of_overhead)


KINDS: dict[str, Callable[[Request], Bench]] = {
    "training": training,
    "scaling": growth,
    "evaluation": evaluation,
    "overhead": overhead,
}


def _named(table: Mapping[Case, Goal], request: Request) -> dict[Case, Goal]:
    """The rows of the processors and algorithms that were named."""
    found = {case: goal for case, goal in table.items() if _is_named(case, request)}
    if not found:
        names = ", ".join((*request.processors, *request.algorithms))
        known = ", ".join(f"{case.processor} on {case.algorithm}" for case in table)
        raise UsageError(f"this table has no row of {names}; it has {known}")
    return found


def _is_named(case: Case, request: Request) -> bool:
    processors, algorithms = request.processors, request.algorithms
    return case.processor in (processors or [case.processor]) and case.algorithm in (algorithms or [case.algorithm])


def _changed(table: Mapping[Case, Goal], request: Request, none: Goal) -> dict[Case, Goal]:
    """The rows with the sizes that were given; of those that differ no goal is known."""
    changed = {case: _change(case, request) for case in table}
    for case in changed.values():
        case.check()
    return {after: table[case] if after == case else none for case, after in changed.items()}


def _change(case: Case, request: Request) -> Case:
    return replace(case, **{name: value for name, value in request.changes.items() if value is not None})


def as_data(row: Any) -> dict[str, Any]:
    """A row with all that is computed from it."""
    computed = {name for name, value in vars(type(row)).items() if isinstance(value, property)}
    found = asdict(row) | {name: getattr(row, name) for name in sorted(computed)}
    for name, part in vars(row).items():
        if hasattr(part, "rate"):
            found[name]["rate"] = part.rate
    return found
