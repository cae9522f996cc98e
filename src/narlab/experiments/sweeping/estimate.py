"""How long jobs will take, from a training step and evaluations that are measured on this machine."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import torch

from narlab import algorithms
from narlab.data import Dataset
from narlab.evaluation import evaluate
from narlab.evaluation.prediction import batch_size
from narlab.experiments.sweeping.jobs import Job
from narlab.experiments.sweeping.sweep import reached
from narlab.models import Network, positions
from narlab.specs import Location
from narlab.training import ResolvedRun
from narlab.training.environment import Machine
from narlab.training.learner import Learner

ENOUGH = 1.0  # seconds to measure one thing
EVALUATED = 8  # graphs that stand for all of a split; a kernel takes one after the other
SAMPLED = 16  # training steps that stand for all where they differ


@dataclass(frozen=True)
class Pace:
    """Seconds of a training step, and of a graph of each split that is evaluated."""

    step: float
    graph: Mapping[str, float]

    def seconds(self, run: ResolvedRun, first: int) -> float:
        """What is left of a run that goes on after step `first`; the chosen model is tested at the end."""
        recipe, every = run.training_recipe(), run.validate_every
        ends = [*range(first - first % every + every, run.steps, every), run.steps] if first < run.steps else []
        due = range(first - first % run.test_every + run.test_every, run.steps + 1, run.test_every)
        tests = sum(map(recipe.tests_after, {*ends, *due})) + 1
        others = max(len(recipe.depths_to_choose()) - 1, 0)  # depths at which the chosen model is validated again
        validation = sum(len(run.split(name)) * self.graph[name] for name in recipe.validated)
        test = len(run.split("test")) * self.graph["test"]
        return (run.steps - first) * self.step + (len(ends) + others) * validation + tests * test


@dataclass(frozen=True)
class Estimate:
    """Seconds that jobs take one after another, and side by side; `kinds` is the number of runs that were measured."""

    work: float
    wall: float
    kinds: int


def estimate(
    jobs: Sequence[Job],
    *,
    workers: int,
    threads: int,
    device: str = "cpu",
    progress: Callable[[int, int], None] = lambda done, all_of_them: None,
) -> Estimate:
    """Measure one run of each kind with so many threads; `progress` is told how many are measured."""
    kinds = {kind(job.run): job.run for job in jobs}
    paces: dict[Hashable, Pace] = {}
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for key, run in kinds.items():
            progress(len(paces), len(kinds))
            paces[key] = measure(run, device)
        progress(len(paces), len(kinds))
    finally:
        torch.set_num_threads(before)
    seconds = [paces[kind(job.run)].seconds(job.run, reached(job)) for job in jobs]
    return Estimate(sum(seconds), max(sum(seconds) / workers, max(seconds, default=0.0)), len(kinds))


def kind(run: ResolvedRun) -> Hashable:
    """Runs of one kind take about the same time: the same model on data of the same shapes.

    Trajectories that are less than twice as long as others count as alike.
    """
    algorithm = algorithms.get(run.algorithm)
    recipe = run.training_recipe()
    names = dict.fromkeys((*(run.rungs() if recipe.varies else ("train",)), *recipe.validated, "test"))
    descriptions = [run.split(split).description for split in names]
    shapes = tuple((description.n, description.graphs) for description in descriptions)
    on_edges = tuple(
        any(probe.location is Location.EDGE for probe in probes) for probes in (algorithm.inputs, algorithm.outputs)
    )
    depth = algorithm.lengths_at_16[1].bit_length() if run.depth == "trajectory" else run.depth
    inputs = (positions.get(run.position).probe.location, run.relations, run.pair_features)
    model = (run.processor, inputs, run.readout, run.hidden, run.quantiser, run.batch_size)
    return (algorithm.has_graph, on_edges, shapes, depth, run.hints, model)


def measure(run: ResolvedRun, device: str) -> Pace:
    """Train a few steps on one batch and evaluate a part of the validation and test data."""
    learner = Learner(run, Machine.of(device))
    step, model = _step_seconds(learner), learner.evaluated
    splits = (*learner.recipe.validated, "test")
    return Pace(step, {name: _evaluation_seconds(model, run.split(name)) for name in splits})


def _step_seconds(learner: Learner) -> float:
    """The training step itself; looking at its loss waits for a GPU."""
    batches = [learner.sample_batch(step) for step in range(SAMPLED if learner.recipe.varies else 1)]

    def work() -> None:
        for step, batch in enumerate(batches):
            learner.step(batch, step, lambda name, step, value: value.item())

    work()
    return _mean_seconds(work) / len(batches)


def _evaluation_seconds(model: Network, dataset: Dataset) -> float:
    evaluate(model, dataset[:1])
    part = dataset[: min(batch_size(model, dataset.description.n), EVALUATED)]
    return _mean_seconds(lambda: evaluate(model, part)) / len(part)


def _mean_seconds(work: Callable[[], object]) -> float:
    """The mean of as many times as fill a second, of what is warm already; a shared machine is uneven over less."""
    began, times = perf_counter(), 0
    while times == 0 or perf_counter() - began < ENOUGH:
        work()
        times += 1
    return (perf_counter() - began) / times
