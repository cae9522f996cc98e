"""The ladder: many small sizes in turn, steps without gradient, and a model that is chosen on sizes it has not seen.

Each batch is of one rung of the data set (a size of at most 16, a graph family, a length of needle), and has about as
many pairs of nodes as any other. Each has a depth of its own, in half of the batches after steps that leave nothing
for a backward pass: answers then stay, however many steps are made. The model is chosen by its mean score on own sets
of 16, 24 and 32 nodes, and then its depth. No score at the test's size decides anything.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from narlab import algorithms
from narlab.common.errors import UsageError, check_integer
from narlab.data import Dataset, Description, datasets
from narlab.models import Batch, Network, Prediction, depth, make_batch
from narlab.training import randomness
from narlab.training.recipes._recipe import Recipe, check_share

if TYPE_CHECKING:
    from narlab.training.run import ResolvedRun

AHEAD = 1024  # samples of a rung that are made at once, at most: there are many rungs
MOST_GRAPHS = 256  # in a batch


@dataclass(frozen=True)
class Ladder(Recipe):
    """Trains on all rungs of a data set in turn, at many depths.

    Arguments:
        rungs: whether to train on all rungs, or else on the split "train" alone.
        pairs_per_batch: a batch has as many graphs as have so many pairs of nodes, but at least `batch_size`.
        least_depth, largest_depth: rules of n; the steps with gradient are one more than a number between them.
        without_gradient: a rule of n, or 0: up to so many steps without gradient come first,
        without_gradient_share: in this share of the batches.
        depths: beside `depth`, at which the model is chosen, those among which its depth is chosen.
    """

    rungs: bool = True
    pairs_per_batch: int = 4096
    least_depth: int | str = "n/4"
    largest_depth: int | str = "n/2"
    without_gradient: int | str = "2*n"
    without_gradient_share: float = 0.5
    depths: tuple[str, ...] = ("n/2", "n")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("pairs_per_batch", self.pairs_per_batch, 0)
        check_share("without_gradient_share", self.without_gradient_share)
        given = (self.least_depth, self.largest_depth, *self.depths, self.without_gradient or 1)
        for rule in map(depth.parse, given):
            if rule.is_trajectory:
                raise UsageError("the recipe's depths are numbers or rules such as 'n/2', got 'trajectory'")

        least, largest = self.least_depth, self.largest_depth
        if isinstance(least, int) and isinstance(largest, int) and least > largest:
            raise UsageError(f"least_depth must be at most largest_depth, got {least} and {largest}")

    def check(self, run: "ResolvedRun") -> None:
        if run.needs_hints or run.quantiser is not None or depth.parse(run.depth).is_trajectory:
            raise UsageError(
                "the recipe 'ladder' trains at many depths, which needs a model without hints and quantiser, and a "
                f"depth such as 'n/2', got hints={run.hints!r}, quantiser={run.quantiser!r}, depth={run.depth!r}"
            )
        for name in self.choose_on:
            if name not in run.split_names():
                raise UsageError(
                    f"the recipe 'ladder' chooses on {name!r}, which the data set {run.dataset!r} does not have; take "
                    "the data set 'ladder', or the recipe 'ladder:choose_on=val'"
                )

    def splits(self, run: "ResolvedRun") -> dict[str, Dataset]:
        return {name: run.split(name) for name in (*self._rungs(run), *self.validated, "test")}

    def _rungs(self, run: "ResolvedRun") -> tuple[str, ...]:
        """The rungs, each as often as it is to be drawn."""
        return run.rungs() if self.rungs else ("train",)

    @property
    def varies(self) -> bool:
        return True

    def tests_after(self, step: int) -> bool:
        """Test sets are large here, and the chosen model is tested anyway: the last one is not."""
        return step % self.test_every == 0

    def batch(self, run: "ResolvedRun", splits: Mapping[str, Dataset], step: int) -> Batch:
        """The next samples of a rung that the run's seed draws; where in it the first ones lie is the seed's, too."""
        names = self._rungs(run)
        drawn = randomness.rungs(run.seed, len(names), max(run.steps, step + 1))
        name = names[drawn[step]]
        before = int(np.array([other == name for other in names])[drawn[:step]].sum())  # batches of it so far
        samples = splits[name]
        graphs = min(self.graphs(_nodes(samples.description)), len(samples))
        first = randomness.number(run.seed, randomness.ORDER, zlib.crc32(name.encode()))
        start = (first + before) % (len(samples) // graphs) * graphs

        def upcoming(count: int) -> np.ndarray:
            return np.arange(start, min(start + max(graphs, min(count, AHEAD)), len(samples)))

        return make_batch(
            samples.read_ahead(upcoming(graphs), upcoming), randomness.generator(run.seed, randomness.BATCHES, step)
        )

    def sample_batch(self, run: "ResolvedRun", step: int) -> Batch:
        return self.batch(run, self.splits(run), step)

    def graphs(self, nodes: int) -> int:
        """How many graphs of so many nodes go into a batch.

        >>> [RECIPE.graphs(nodes) for nodes in (4, 8, 16, 24)]
        [256, 64, 16, 16]
        """
        assert self.batch_size is not None
        return max(self.batch_size, min(MOST_GRAPHS, self.pairs_per_batch // nodes**2))

    def predict(self, model: Network, batch: Batch, seed: int) -> Prediction:
        generator, nodes = np.random.Generator(np.random.Philox(key=seed)), batch.size[1]
        least, largest = (depth.parse(rule).of(nodes) + 1 for rule in (self.least_depth, self.largest_depth))
        draws = generator.random(3)
        steps = least + int(draws[0] * (max(largest, least) - least + 1))
        without = 0
        if self.without_gradient and draws[1] < self.without_gradient_share:
            without = int(draws[2] * (depth.parse(self.without_gradient).of(nodes) + 1))
        return model(batch, depth=steps, without_gradient=without)

    def depths_to_choose(self) -> tuple[int | str, ...]:
        assert self.depth is not None
        return tuple(dict.fromkeys(depth.parse(rule).setting for rule in (self.depth, *self.depths)))

    def protocol(self, run: "ResolvedRun") -> dict[str, Any]:
        """Also all rungs of the data set, those of other algorithms included: numbers stand in one table."""
        named = None if run.dataset == "custom" or not self.rungs else datasets.get(run.dataset)
        tasks = () if named is None else named.ALGORITHMS or algorithms.CLRS_30
        rungs = {task: list(datasets.rungs(named, task)) for task in tasks}
        return {**super().protocol(run), "rungs": rungs, "depths": list(self.depths_to_choose())}


@cache
def _nodes(description: Description) -> int:
    """How many nodes a graph has, which is not always the size that was asked for."""
    return Dataset(description)[:1].inputs["pos"].shape[1]


RECIPE = Ladder(
    steps=2000,
    batch_size=16,
    learning_rate=2e-3,
    betas=(0.9, 0.99),
    warm_up=100,
    final_share=0.02,
    averaging=0.99,
    averaging_rises=True,
    dataset="ladder",
    processor="triangle",
    position="order",
    readout="pairs",
    relations=True,
    pair_features=("potentials", "intervals", "areas", "resistances"),
    depth="n/2",
    choose_on=("ladder_16", "ladder_24", "ladder_32"),
    validate_every=None,
    test_every=1_000_000,
)
