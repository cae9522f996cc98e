"""A design: tasks by settings, what has to be run for it, and its scores as tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from narlab import algorithms as benchmark
from narlab.experiments.declaring.outcome import Cell, Number, Table
from narlab.experiments.declaring.paper import Numbers
from narlab.experiments.declaring.results import Results
from narlab.specs import Location, Type
from narlab.training import Run

Weights = Mapping[str, int] | None
MEAN: dict[str, Weights] = {"mean": None}
NOTHING = Numbers()


@dataclass(frozen=True)
class Design:
    """The paper's tasks, and by column the settings of the runs that fill it."""

    tasks: tuple[str, ...]
    columns: dict[str, dict[str, Any]]

    def run(self, task: str, column: str, seed: int) -> Run:
        return Run(task, seed=seed, **self.columns[column])

    def runs(self, algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
        """All runs, seed by seed, so that an unfinished sweep has whole columns as early as can be."""
        return [self.run(task, column, seed) for seed in seeds for task in algorithms for column in self.columns]

    def scores(
        self, results: Results, algorithms: Sequence[str], seeds: Sequence[int], score: str = "test"
    ) -> "DesignScores":
        """One kind of score of all runs that are done."""
        values: dict[tuple[str, str], dict[int, float]] = {}
        counts: dict[tuple[str, str], int] = {}
        for task in algorithms:
            for column in self.columns:
                found = {seed: results.find(self.run(task, column, seed)) for seed in seeds}
                values[task, column] = {seed: done.percent(score) for seed, done in found.items() if done}
                counts[task, column] = elements(results.budget.of(self.run(task, column, seeds[0])), score)
        return DesignScores(self.tasks, tuple(algorithms), tuple(self.columns), values, counts)


def elements(run: Run, score: str) -> int:
    """How many answers a score (val, val_graph, test or test_graph) of a run is the share of.

    At graph level, and where a graph has one answer, they are graphs; else nodes, also where answers belong to pairs
    of them: the few positive pairs that decide an F1 are about as many as nodes.

    >>> elements(Run("bfs"), "test"), elements(Run("bfs"), "test_graph"), elements(Run("minimum"), "test")
    (2048, 32, 2048)
    """
    split, _, level = score.partition("_")
    data = run.split(split)
    probes = benchmark.get(run.algorithm).outputs
    is_one = all(probe.location is Location.GRAPH or probe.type is Type.MASK_ONE for probe in probes)
    return len(data) if level or is_one else len(data) * data.description.n


@dataclass(frozen=True)
class Mean:
    """A mean over tasks for every seed that has all of them."""

    tasks: tuple[str, ...]
    by_seed: dict[int, float]


@dataclass(frozen=True)
class DesignScores:
    """Scores in percent by (row, column) and seed; `rows` are the tasks that were asked for, `tasks` the paper's."""

    tasks: tuple[str, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: dict[tuple[str, str], dict[int, float]]
    counts: dict[tuple[str, str], int] = field(default_factory=dict)  # the elements that a score is the share of

    def mean(self, column: str, weights: Weights = None) -> Mean:
        """The mean over the tasks that one seed has, the seed with most of them, and over the same for other seeds."""
        seeds = dict.fromkeys(seed for row in self.rows for seed in self.values[row, column])
        tasks = {seed: tuple(row for row in self.rows if seed in self.values[row, column]) for seed in seeds}
        covered = max(tasks.values(), key=len, default=())
        weigh = {task: 1 if weights is None else weights[task] for task in covered}
        return Mean(
            covered,
            {
                seed: sum(weigh[task] * self.values[task, column][seed] for task in covered) / sum(weigh.values())
                for seed in seeds
                if set(covered) <= set(tasks[seed])
            },
        )

    def cell(self, row: str, column: str, numbers: Numbers = NOTHING) -> Cell:
        ours = tuple(self.values[row, column].values())
        return Cell(ours, numbers.get(row, column), self.counts.get((row, column)))

    def mean_cell(self, label: str, column: str, numbers: Numbers, weights: Weights = None) -> Cell:
        """Our mean and the paper's over the same tasks."""
        mean = self.mean(column, weights)
        return Cell(tuple(mean.by_seed.values()), self._paper(label, column, numbers, weights))

    def _paper(self, label: str, column: str, numbers: Numbers, weights: Weights) -> Number | None:
        """What the paper says if the tasks are all of its own; else the mean of its numbers for these tasks."""
        tasks = self.mean(column).tasks or self.rows
        said = numbers.get(label, column)
        if said is not None and set(tasks) == set(self.tasks):
            return said
        return numbers.mean(tasks, column, weights)

    def table(self, name: str, title: str, *, numbers: Numbers = NOTHING, means: Mapping[str, Weights] = MEAN) -> Table:
        """A row for each task, and below them the means."""
        cells = {(row, column): self.cell(row, column, numbers) for row in self.rows for column in self.columns}
        for label, weights in means.items():
            for column in self.columns:
                cells[label, column] = self.mean_cell(label, column, numbers, weights)
        return Table(name, title, (*self.rows, *means), self.columns, cells, notes=self.notes(numbers))

    def notes(self, numbers: Numbers) -> tuple[str, ...]:
        """How many tasks the means cover where it is not all; `numbers` are the paper's beside them."""
        total, notes = len(self.tasks), []
        if len(self.rows) < total:
            notes.append(f"{len(self.rows)} of {total} tasks")
        covered = {column: len(self.mean(column).tasks) for column in self.columns}
        partial = [f"{count} in {column}" for column, count in covered.items() if 0 < count < len(self.rows)]
        if partial:
            notes.append(f"of {len(self.rows)} tasks the means cover {', '.join(partial)}")
        if notes and numbers.cells:
            notes.append("the paper's means are over the same tasks")
        return tuple(notes)
