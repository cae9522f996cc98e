"""Training steps with compiled kernels and on the plain path, and what they should take."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from narlab.bench import pivots
from narlab.bench.cases import Case, training_step
from narlab.bench.machine import large_product
from narlab.bench.processes import Maker, Measured, in_turns
from narlab.common.errors import UsageError
from narlab.models import processors as catalogue

GOAL_RATE = 110.0  # GFLOP/s in a large product on the machine that the goals' seconds are for
PARTS_MARGIN = 1.1  # a hybrid's step against its parts' at its width
GRAPHS, GRAPHS_OF_PAIRS = 32, 16  # in a batch, and where 2WL takes part


@dataclass(frozen=True)
class Goal:
    """The most seconds that a step should take at `GOAL_RATE`, and how many times faster than the plain path it is."""

    seconds: float | None = None
    ratio: float | None = None


NONE = Goal()
HYBRIDS = ("hybrid_average", "hybrid_sigmoid")
HINTS = "encoded_decoded"
EDGE_REFERENCE = "mpnn_g"  # the processor whose time per edge others are compared with
TABLE: dict[Case, Goal] = {
    Case("mpnn_fc", "quicksort", GRAPHS): Goal(0.40, 1.6),
    Case("mpnn_g", "bfs", GRAPHS): Goal(0.20, 3.0),
    Case("mpnn_g", "articulation_points", GRAPHS): Goal(0.14, 4.5),
    Case("mpnn_g", "floyd_warshall", GRAPHS): Goal(0.35, 3.0),
    Case("two_wl", "quicksort", GRAPHS_OF_PAIRS): Goal(1.40, 1.8),
    Case("two_wl", "bfs", GRAPHS_OF_PAIRS): Goal(0.55, 4.5),
    **{Case(name, task, GRAPHS_OF_PAIRS): NONE for task in ("bfs", "quicksort") for name in HYBRIDS},
    Case("mpnn_g", "bfs", GRAPHS, dataset="l_clrs_len", family="regular:k=4"): Goal(0.20, 3.0),
    **{
        Case("triangle", task, graphs, n=n, depth=8, of_pairs=True): Goal(None, 5.0)
        for task in ("bfs", "floyd_warshall")
        for graphs, n in ((GRAPHS, 16), (2 * GRAPHS, 8))
    },
    **{Case(name, "bfs", GRAPHS): NONE for name in ("pgn", "gat")},
    **{
        Case(name, task, GRAPHS, hints=HINTS): Goal(None, 2.5)
        for name in ("mpnn_fc", "pgn", "gat")
        for task in ("bfs", "insertion_sort")
    },
    Case("hybrid_average:mpnn_g+mpnn_fc", "bfs", GRAPHS_OF_PAIRS): NONE,
    Case("hybrid_sigmoid:two_wl+two_wl", "bfs", GRAPHS_OF_PAIRS): NONE,
}


@dataclass(frozen=True)
class Row:
    """A training step on both paths and a large product, measured in turns; `parts` are those of a hybrid, `pivots` the
    products over pivots of a triangle processor and a loop that does only these, in operations."""

    case: Case
    goal: Goal
    fast: Measured
    plain: Measured
    machine: Measured
    parts: tuple[Measured, ...]
    pivots: tuple[Measured, ...] = ()

    @property
    def ratio(self) -> float:
        return self.plain.seconds / self.fast.seconds

    @property
    def seconds_per_edge(self) -> float | None:
        """Of one step; with hints steps have different edges."""
        return None if self.case.has_hints else self.fast.seconds / (self.case.depth * self.case.edges)

    @property
    def goal_seconds(self) -> float | None:
        """At most so many seconds on this machine: scaled by its rate, or for a hybrid what its parts took."""
        if self.parts:
            return PARTS_MARGIN * sum(part.seconds for part in self.parts)
        return None if self.goal.seconds is None else self.goal.seconds * GOAL_RATE / self.machine.rate

    @property
    def others(self) -> float:
        """Cores that other processes used meanwhile."""
        return self.machine.others


def chosen(processors: Sequence[str], algorithms: Sequence[str]) -> dict[Case, Goal]:
    """The table's rows of these processors and algorithms, all if none are named; where both are, also pairs that the
    table does not have."""
    found = {
        case: goal
        for case, goal in TABLE.items()
        if (not processors or case.processor in processors) and (not algorithms or case.algorithm in algorithms)
    }
    if processors and algorithms:
        have = {(case.processor, case.algorithm) for case in found}
        missing = [pair for name in processors for task in algorithms if (pair := (name, task)) not in have]
        found |= {Case(*pair, catalogue.get(pair[0]).batch_size): NONE for pair in missing}
    if not found:
        raise UsageError(
            f"the table has no row of {', '.join((*processors, *algorithms))}; name both processors and --algorithms"
        )
    return found


def row(case: Case, goal: Goal, *, repeats: int, threads: int | None) -> Row:
    """Both paths of one case; of a hybrid's parts the fast one."""
    parts = parts_of(case)
    makers: list[Maker] = [
        large_product,
        *(partial(training_step, case, kernels=kernels) for kernels in (True, False)),
        *(partial(training_step, part, kernels=True) for part in parts),
    ]
    of_pivots = pivots.makers_of(case)
    measured = in_turns([*makers, *of_pivots], repeats=repeats, threads=threads)
    machine, fast, plain, *of_parts = measured[: len(makers)]
    return Row(case, goal, fast, plain, machine, tuple(of_parts), tuple(measured[len(makers) :]))


def parts_of(case: Case) -> list[Case]:
    """The parts of a hybrid as cases of its width; other processors have none."""
    return [replace(case, processor=part, hidden=case.width) for part in catalogue.parts(case.processor)]
