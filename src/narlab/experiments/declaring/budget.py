"""Budgets: how much of the paper's training a reproduction spends. Each has its own folder, so that they never mix."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from narlab.common.errors import unknown
from narlab.training import Run, recipes

SEEDS = (42, 43, 44)
QUICK_STEPS, SHORT_STEPS = 500, 2000
QUICK_TEST = 256  # graphs: some tasks have 2,048, which take longer than so few steps
FEW = 2  # tasks
EXAMPLES = 320  # that the paper trains on between two validations


@dataclass(frozen=True)
class Budget:
    """`of` turns a run at the paper's settings into this budget's; `seeds` and `algorithms` say which runs there are.

    `keeps` are the tasks that a small budget keeps of an experiment's with more than two (the first two if it has none
    of them); `most_graphs` limits the graphs that an analysis looks at.
    """

    name: str
    note: str
    of: Callable[[Run], Run]
    seeds: tuple[int, ...] = SEEDS
    keeps: tuple[str, ...] | None = None
    most_graphs: int | None = None

    def algorithms(self, tasks: Sequence[str]) -> tuple[str, ...]:
        """Those of an experiment's tasks that this budget runs."""
        if self.keeps is None or len(tasks) <= FEW:
            return tuple(tasks)
        return tuple(task for task in tasks if task in self.keeps) or tuple(tasks[:FEW])

    def graphs(self, count: int) -> int:
        """How many of `count` graphs an analysis looks at."""
        return count if self.most_graphs is None else min(count, self.most_graphs)


def _quick(run: Run) -> Run:
    tests = len(run.resolved().split("test"))
    return replace(run, steps=QUICK_STEPS, test_samples=QUICK_TEST if tests > QUICK_TEST else run.test_samples)


def _short(run: Run) -> Run:
    return replace(run, steps=SHORT_STEPS)


def _paper(run: Run) -> Run:
    """The run with the paper's own cadence of validations, by which the model is chosen.

    The paper tests as often. Nothing follows from that, and tests cost more than all else: they stay the recipe's.
    """
    if run.validate_every is not None or recipes.parse(run.recipe).validate_every is None:
        return run
    return replace(run, validate_every=max(EXAMPLES // run.resolved().batch_size, 1))


TINY_DATA = {"clrs": 16, "l_clrs": 64, "ladder": 65}  # training samples that stand for each, so that the two stay apart


def _tiny(run: Run) -> Run:
    """The same kind of run in a fraction of a second."""
    filled = run.resolved()
    every = 2 if filled.test_every == filled.validate_every else 4  # a figure of curves needs more than one point
    small = replace(
        run,
        hidden=8,
        depth=2 if isinstance(filled.depth, int) else run.depth,
        steps=4,
        batch_size=4,
        validate_every=every,
        test_every=every,
    )
    if filled.dataset not in TINY_DATA:
        return small
    recipe = recipes.with_options(run.recipe, choose_on=("val",))  # all that tiny data has
    return replace(small, recipe=recipe, dataset="custom", n=6, test_n=8, samples=TINY_DATA[filled.dataset])


BUDGETS = {
    budget.name: budget
    for budget in (
        Budget(
            "smoke",
            "smoke: four steps of tiny models on tiny graphs; only that everything works, its numbers mean nothing",
            _tiny,
            seeds=SEEDS[:1],
            keeps=("bfs", "quicksort"),
            most_graphs=20,
        ),
        Budget(
            "quick",
            "quick: 500 training steps instead of 20,000 (paper) or 2,000 (ladder); tests of at most 256 graphs",
            _quick,
            seeds=SEEDS[:1],
        ),
        Budget(
            "short",
            "short: 2,000 training steps instead of the paper's 20,000",
            _short,
            seeds=SEEDS[:1],
        ),
        Budget("paper", f"paper: the paper's settings, validated every {EXAMPLES} training examples", _paper),
    )
}


def get(name: str) -> Budget:
    """The budget called `name`."""
    if name not in BUDGETS:
        raise unknown("budget", name, BUDGETS)
    return BUDGETS[name]
