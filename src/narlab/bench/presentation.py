"""What `narlab bench train` measured, as tables and lines for people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from narlab.bench import evaluations, scaling, training_steps
from narlab.bench.cases import Case
from narlab.bench.overhead import GOAL, Overhead

NAMES = ("processor", "task")
UNKNOWN = "-"


@dataclass(frozen=True)
class Presentation:
    """A table whose columns called in `numbers` are set right, and lines below it."""

    columns: tuple[str, ...]
    rows: list[list[str]]
    numbers: tuple[str, ...]
    lines: tuple[str, ...] = ()


def of_machine(facts: Mapping[str, str | int], threads: int) -> str:
    return (
        f"{facts['processor']}, {facts['cores']} cores, {threads} threads; "
        f"PyTorch {facts['torch']}, numba {facts['numba']}, Python {facts['python']}"
    )


def of_training(rows: Sequence[training_steps.Row]) -> Presentation:
    sizes = ("B", "N", "H", "T")
    columns = (*NAMES, *sizes, "step s", "at most", "plain s", "ratio", "at least")
    rates = ("GFLOP/s", "machine's", "GB", "plain GB")
    lines = (
        *(_parts(row) for row in rows if row.parts),
        *(_pivots(row) for row in rows if row.pivots),
        *(_edges(row, other) for row in rows for other in rows if _compares_edges(row.case, other.case)),
    )
    return Presentation((*columns, *rates), [_training(row) for row in rows], (*columns[2:], *rates), lines)


def _parts(row: training_steps.Row) -> str:
    names = [part.processor for part in training_steps.parts_of(row.case)]
    parts = " + ".join(f"{name} {part.seconds:.3f} s" for name, part in zip(names, row.parts, strict=True))
    return f"{row.case.processor} on {row.case.algorithm}: its parts at its width are {parts}"


def _pivots(row: training_steps.Row) -> str:
    products, loop = row.pivots
    return (
        f"{row.case.processor} at N = {row.case.nodes}: its products over pivots run at {products.rate:.1f} billion "
        f"operations a second on one core, a loop that does only these at {loop.rate:.1f}"
    )


def _compares_edges(case: Case, other: Case) -> bool:
    """Whether `other` differs from `case`, a simple one, in that its processor is the one to compare with."""
    same = replace(case, processor=training_steps.EDGE_REFERENCE) == other
    return same and case != other and not (case.has_hints or training_steps.parts_of(case))


def _edges(row: training_steps.Row, reference: training_steps.Row) -> str:
    own, other = row.seconds_per_edge, reference.seconds_per_edge
    assert own is not None
    assert other is not None
    return (
        f"{row.case.processor} on {row.case.algorithm}: {1e9 * own:.0f} ns per edge and step, "
        f"{own / other:.2f} times those of {reference.case.processor}"
    )


def _training(row: training_steps.Row) -> list[str]:
    return [
        *_names(row.case),
        str(row.case.graphs),
        str(row.case.nodes),
        str(row.case.width),
        "hints" if row.case.has_hints else str(row.case.depth),
        f"{row.fast.seconds:.3f}",
        _number(row.goal_seconds, 3),
        f"{row.plain.seconds:.3f}",
        f"{row.ratio:.2f}",
        _number(row.goal.ratio, 2),
        f"{row.fast.rate:.0f}",
        f"{row.machine.rate:.0f}",
        _gigabytes(row.fast.memory),
        _gigabytes(row.plain.memory),
    ]


def of_scaling(points: Sequence[scaling.Point]) -> Presentation:
    columns = (*NAMES, "N", "B", "T", "step s", "ms per graph", "GFLOP/s", "machine's", "GB")
    by_processor = groupby(points, key=lambda point: point.case.processor)
    lines = tuple(_growth(processor, list(series)) for processor, series in by_processor)
    return Presentation(columns, [_scaling(point) for point in points], columns[2:], lines)


def _growth(processor: str, series: Sequence[scaling.Point]) -> str:
    expected = {growth.case.processor: growth.expected for growth in scaling.GROWTHS}
    fits = [_exponent(series)]
    if len(series) > scaling.ASYMPTOTIC:
        fits.append(_exponent(series[-scaling.ASYMPTOTIC :]))
    return f"{processor} grows as n^p: {', '.join(fits)}; expected {expected[processor]}"


def _exponent(series: Sequence[scaling.Point]) -> str:
    sizes = [point.case.nodes for point in series]
    return f"p = {scaling.exponent(series):.2f} over n = {sizes[0]} to {sizes[-1]}"


def _scaling(point: scaling.Point) -> list[str]:
    return [
        *_names(point.case),
        str(point.case.nodes),
        str(point.case.graphs),
        str(point.case.depth),
        f"{point.fast.seconds:.3f}",
        f"{1e3 * point.seconds_per_graph:.3f}",
        f"{point.fast.rate:.0f}",
        f"{point.machine.rate:.0f}",
        _gigabytes(point.fast.memory),
    ]


def of_evaluation(rows: Sequence[evaluations.Row]) -> Presentation:
    columns = (*NAMES, "graphs", "N", "at a time", "s", "at most", "GFLOP/s", "machine's", "GB", "at most GB")
    return Presentation(columns, [_evaluation(row) for row in rows], columns[2:])


def _evaluation(row: evaluations.Row) -> list[str]:
    return [
        *_names(row.case),
        str(row.case.graphs),
        str(row.case.nodes),
        str(row.at_a_time),
        f"{row.fast.seconds:.2f}",
        _number(row.goal_seconds, 2),
        f"{row.fast.rate:.0f}",
        f"{row.machine.rate:.0f}",
        _gigabytes(row.fast.memory),
        UNKNOWN if row.goal.memory is None else _gigabytes(row.goal.memory),
    ]


def of_overhead(rows: Sequence[Overhead]) -> Presentation:
    columns = (*NAMES, "B", "step s", "before ms", "after ms", "not the model", "at most")
    return Presentation(columns, [_overhead(row) for row in rows], columns[2:])


def _overhead(row: Overhead) -> list[str]:
    return [
        *_names(row.case),
        str(row.case.graphs),
        f"{row.step:.3f}",
        f"{1e3 * row.before:.2f}",
        f"{1e3 * row.after:.2f}",
        f"{100 * row.share:.1f} %",
        f"{100 * GOAL:.0f} %",
    ]


def _names(case: Case) -> tuple[str, str]:
    where = "" if case.dataset == "l_clrs" else f" ({case.dataset})"
    return case.processor, f"{case.algorithm}{where}"


def _number(value: float | None, digits: int) -> str:
    return UNKNOWN if value is None else f"{value:.{digits}f}"


def _gigabytes(count: float) -> str:
    return f"{count / 1e9:.2f}"
