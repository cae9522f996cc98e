"""A selection: which experiment, at which budget, with which tasks and seeds."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from narlab import experiments
from narlab.algorithms import CATALOGUE
from narlab.common import counted
from narlab.common.errors import UsageError, check_seed, unknown
from narlab.experiments.declaring import budget as budgets
from narlab.experiments.declaring.budget import Budget
from narlab.experiments.declaring.experiment import Experiment
from narlab.experiments.declaring.outcome import Outcome
from narlab.experiments.declaring.results import Progress, Results
from narlab.training import ResolvedRun


@dataclass(frozen=True)
class Selection:
    """What is to be reproduced; `Selection.of` checks the names and fills in what the budget decides."""

    name: str
    budget: Budget
    algorithms: tuple[str, ...]
    seeds: tuple[int, ...]

    @classmethod
    def of(
        cls,
        name: str,
        *,
        budget: str = "short",
        algorithms: Sequence[str] | None = None,
        seeds: Sequence[int] | None = None,
    ) -> "Selection":
        experiment = experiments.get(name)
        chosen = budgets.get(budget)
        tasks = tuple(dict.fromkeys(map(CATALOGUE.spelled, algorithms or ())))
        tasks = chosen.algorithms(experiment.ALGORITHMS) if algorithms is None else tasks
        for task in tasks:
            if task not in experiment.ALGORITHMS:
                raise unknown(f"algorithm of {name}", task, experiment.ALGORITHMS)
        numbers = chosen.seeds if seeds is None else tuple(dict.fromkeys(map(check_seed, seeds)))
        for what, given in (("algorithms", tasks), ("seeds", numbers)):
            if not given:
                raise UsageError(f"{what} is empty; name at least one, or leave it out for the budget's own")
        return cls(name, chosen, tasks, numbers)

    @property
    def experiment(self) -> Experiment:
        return experiments.get(self.name)

    def runs(self) -> list[ResolvedRun]:
        """What has to be trained at this budget, each once; equal runs of other selections are the same folder."""
        asked = self.experiment.runs(self.algorithms, self.seeds)
        return list(dict.fromkeys(self.budget.of(run).resolved() for run in asked))

    def outcome(self, root: Path, progress: Progress = lambda name, done, graphs: None) -> Outcome:
        """Tables and figures of the runs that the folder `root` of a sweep holds."""
        results = Results(Path(root), self.budget, progress)
        made = self.experiment.outcome(results, self.algorithms, self.seeds)
        return replace(made, notes=(*self._notes(results), *made.notes))

    def _notes(self, results: Results) -> list[str]:
        """What was run and what is missing; nothing for an experiment without runs."""
        asked = self.experiment.runs(self.algorithms, self.seeds)
        if not asked:
            return []
        seeds = list(dict.fromkeys(run.seed for run in asked))
        notes = [f"{self.budget.note}; {'seeds' if len(seeds) > 1 else 'seed'} {', '.join(map(str, seeds))}"]
        found = [done for run in asked if (done := results.find(run)) is not None]
        if len(found) < len(asked):
            notes.append(f"{len(found)} of {len(asked)} runs are done; cells without them are empty")
        numerics = Counter(done.numerics for done in found)
        if len(numerics) > 1:
            told = "; ".join(f"{counted(count, 'run')} with {kind}" for kind, count in numerics.most_common())
            notes.append(f"numerics differ, so that equal runs may differ in their digits: {told}")
        return notes
