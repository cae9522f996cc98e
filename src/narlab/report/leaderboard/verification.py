"""Whether a run's weights still give the numbers that its result, or the leaderboard, has."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from narlab.common.errors import UsageError
from narlab.evaluation import metrics
from narlab.experiments.declaring.results import SCORES
from narlab.training import load
from narlab.training.folder import Folder
from narlab.training.loop import evaluation_seed

NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Check:
    """What was said of a run's columns, such as "test", and what its weights give now."""

    folder: Path
    said: Mapping[str, float]
    found: Mapping[str, float]

    @property
    def equal(self) -> bool:
        return all(self.found[name] == value for name, value in self.said.items())

    @property
    def text(self) -> str:
        """One line: equal, or what differs and by how much."""
        if self.equal:
            return f"equal      {self.folder}: test {100 * self.said['test']:.2f}; {', '.join(self.said)}"
        differing = [
            f"{name} {100 * value:.4f} is {100 * self.found[name]:.4f}"
            for name, value in self.said.items()
            if value != self.found[name]
        ]
        return f"not equal  {self.folder}: {', '.join(differing)}"


def verify(folder: Path, claimed: Mapping[str, Any] = NOTHING) -> Check:
    """Evaluate a run's chosen weights again, as the run itself did: its data, its metrics, its random features.

    Scores that are `claimed`, as the leaderboard does, go before those that the run's own result has.
    """
    there = Folder(folder)
    run, result = there.run(), there.result()
    if result is None:
        raise UsageError(f"{str(folder)!r} has no result yet; go on with: {there.resume_command()}")
    recipe, model = run.training_recipe(), load(folder)
    splits, (_, facts) = recipe.splits(run), there.weights()
    found: dict[str, float] = {}
    for split, step in {**dict.fromkeys(recipe.choose_on, int(facts["step"])), "test": run.steps}.items():
        scores = recipe.scores(model, splits[split], evaluation_seed(run, step))
        found |= {metrics.column(split, name): scores[metrics.get(name).name] for name in run.metrics}
    said = {**result, **{name: claimed[name] for name in SCORES if name in claimed}}
    return Check(folder, {name: said[name] for name in found if name in said}, found)
