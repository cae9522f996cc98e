"""What guessing and trivial rules are worth, task by task, so that a score can be read.

| rule | what it answers |
|---|---|
| chance | each element at random, all values alike; the mean of some draws |
| itself | every pointer points to its own node; that of a pair (i, j) to i |
| nearest | every pointer points to the nearest other node; that of a pair (i, j) to the one nearest to j |
| all | every mask is 1 |
| majority | what training has most: a pointer's offset, a mask's value, a class, a one-hot's relative place |

Nearest is the lightest edge into the node, where edges weigh the same the nearest index, without a graph the nearest
key, or the nearest index where there is none. An output that a rule says nothing of has the majority's answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from narlab import algorithms, data
from narlab.data import Dataset
from narlab.evaluation import metrics
from narlab.evaluation.metrics import Instances, Metric
from narlab.evaluation.scores import Scores, counts_of
from narlab.experiments.declaring.outcome import Cell, Table
from narlab.specs import Location, Probe, Type

DATASET, SPLIT = "l_clrs", "test"
SAMPLES = 1000  # of training, in which the majority is counted
DRAWS = 20  # of chance
METRICS = ("score", "graph_score", "valid")
TITLES = {"score": "Score", "graph_score": "Graph-level score", "valid": "Valid answers"}
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """What a rule may look at: the instances that it answers, and samples of training."""

    instances: Instances
    training: Dataset

    @property
    def nodes(self) -> int:
        return self.instances.inputs["pos"].shape[1]

    def shape(self, probe: Probe) -> tuple[int, ...]:
        """Of a probe's values [G, ...]."""
        return self.instances.outputs[probe.name].shape


Rule = Callable[[Case, Probe], np.ndarray]


def itself(case: Case, probe: Probe) -> np.ndarray:
    return _pointers(case, probe, np.arange(case.nodes))


def nearest(case: Case, probe: Probe) -> np.ndarray:
    return _pointers(case, probe, _nearest_nodes(case.instances), of_end=True)


def all_set(case: Case, probe: Probe) -> np.ndarray:
    return np.ones(case.shape(probe))


def majority(case: Case, probe: Probe) -> np.ndarray:
    """The most frequent answer in training, in a form that fits any size."""
    seen = case.training.outputs[probe.name]
    if probe.type is Type.POINTER:
        own = np.arange(seen.shape[1])
        offset = _most_frequent(seen - (own if seen.ndim == 2 else own[:, None]))
        return _pointers(case, probe, np.clip(np.arange(case.nodes) + offset, 0, case.nodes - 1))
    if probe.type is Type.MASK:
        return np.full(case.shape(probe), _most_frequent(seen[seen != metrics.MASKED]))
    if probe.type is Type.SCALAR:
        return np.full(case.shape(probe), seen.mean())
    counted = (seen != metrics.MASKED).all(-1)
    place = _most_frequent(seen.argmax(-1)[counted])
    if probe.type is Type.MASK_ONE:
        place = place * case.nodes // seen.shape[-1]
    return _one_hot(np.full(case.shape(probe)[:-1], place), case.shape(probe)[-1])


def guess(case: Case, probe: Probe, generator: np.random.Generator) -> np.ndarray:
    """One draw of chance."""
    shape = case.shape(probe)
    if probe.type is Type.SCALAR:
        return generator.random(shape)
    if probe.type in (Type.MASK_ONE, Type.CATEGORICAL):
        return _one_hot(generator.integers(shape[-1], size=shape[:-1]), shape[-1])
    return generator.integers(2 if probe.type is Type.MASK else case.nodes, size=shape)


RULES: dict[str, tuple[Type, Rule]] = {
    "itself": (Type.POINTER, itself),
    "nearest": (Type.POINTER, nearest),
    "all": (Type.MASK, all_set),
}
"""The rules that speak of one type of output."""
CHANCE, MAJORITY = "chance", "majority"
NAMES = (CHANCE, *RULES, MAJORITY)


@cache
def baselines(task: str) -> Mapping[str, Scores]:
    """The scores of every rule that has something to say of a task, on the official test set.

    >>> sorted(baselines("minimum"))
    ['chance', 'majority']
    >>> 0 < baselines("minimum")["chance"].score < 0.05
    True
    """
    algorithm, test = algorithms.get(task), data.load(DATASET, task, SPLIT)
    case = Case(_instances(test), data.load(DATASET, task, "train")[:SAMPLES])
    chosen = [metric for metric in metrics.get_all(METRICS) if metric.applies(algorithm, test)]
    found = {CHANCE: _chance(case, chosen)}
    for name, (kind, rule) in RULES.items():
        if any(probe.type is kind for probe in algorithm.outputs):
            found[name] = _scores(case, chosen, _answers(case, kind, rule))
    return {**found, MAJORITY: _scores(case, chosen, _answers(case, None, majority))}


def _answers(case: Case, kind: Type | None, rule: Rule) -> Arrays:
    """A rule's answers on outputs of its kind, and the majority's on the others."""
    outputs = case.instances.algorithm.outputs
    return {probe.name: (rule if probe.type is kind else majority)(case, probe) for probe in outputs}


def best_trivial(task: str) -> tuple[str, float]:
    """The rule with the highest score, chance aside, and that score."""
    found = {name: scores.score for name, scores in baselines(task).items() if name != CHANCE}
    return max(found.items(), key=lambda pair: pair[1])


def tables(tasks: Sequence[str]) -> tuple[Table, ...]:
    """A table for each metric: tasks by rules, in percent."""
    made = []
    for metric in METRICS:
        cells = {}
        for task in tasks:
            for rule in NAMES:
                scores = baselines(task).get(rule)
                known = scores is not None and metric in scores
                cells[task, rule] = Cell((100 * scores[metric],)) if scores is not None and known else Cell()
        notes = (f"{DATASET} {SPLIT}; chance is the mean of {DRAWS} draws",)
        title = f"{TITLES[metric]} of chance and trivial rules"
        made.append(Table(f"baselines_{metric}", title, tuple(tasks), NAMES, cells, notes=notes))
    return tuple(made)


def _instances(dataset: Dataset) -> Instances:
    algorithm = algorithms.get(dataset.algorithm)

    def narrow(probes: Sequence[Probe], arrays: Mapping[str, np.ndarray]) -> Arrays:
        return {probe.name: arrays[probe.name].astype(probe.dtype) for probe in probes}

    inputs, outputs = narrow(algorithm.inputs, dataset.inputs), narrow(algorithm.outputs, dataset.outputs)
    return Instances(algorithm, inputs, outputs, dataset.marks)


def _scores(case: Case, chosen: Sequence[Metric], answers: Arrays) -> Scores:
    probes = case.instances.algorithm.outputs
    typed = {probe.name: answers[probe.name].astype(probe.dtype) for probe in probes}
    return Scores.of_counts(counts_of(chosen, case.instances, typed))


def _chance(case: Case, chosen: Sequence[Metric]) -> Scores:
    """The mean over some draws, output by output."""
    generator = np.random.default_rng(0)
    probes = case.instances.algorithm.outputs
    drawn = [
        _scores(case, chosen, {probe.name: guess(case, probe, generator) for probe in probes}) for _ in range(DRAWS)
    ]
    return Scores(
        {
            metric: {output: float(np.mean([scores.parts[metric][output] for scores in drawn])) for output in parts}
            for metric, parts in drawn[0].parts.items()
        }
    )


def _pointers(case: Case, probe: Probe, targets: np.ndarray, *, of_end: bool = False) -> np.ndarray:
    """Pointers of nodes to `targets` [N] or [G, N]; those of a pair (i, j) as node i's, or j's if `of_end`."""
    shape = case.shape(probe)
    each = np.broadcast_to(targets, shape[:2])
    if probe.location is not Location.EDGE:
        return each
    return np.broadcast_to(each[:, None, :] if of_end else each[:, :, None], shape)


def _nearest_nodes(instances: Instances) -> np.ndarray:
    """The nearest other node of each, [G, N]; a node with no edge into it has itself."""
    graphs, n = instances.inputs["pos"].shape
    steps = np.abs(np.arange(n)[:, None] - np.arange(n))  # how far indices are apart
    if instances.algorithm.has_graph:
        weights = instances.inputs["A"].astype(np.float64)
        distance = np.where(weights != 0, weights, np.inf)  # [G, from, to]
    else:
        keys = _keys(instances)
        distance = np.zeros((graphs, n, n)) if keys is None else np.abs(keys[:, :, None] - keys[:, None, :])
    distance[:, np.arange(n), np.arange(n)] = np.inf
    ties = np.where(distance == distance.min(1, keepdims=True), steps, n)
    return np.where(np.isfinite(distance).any(1), ties.argmin(1), np.arange(n))


def _keys(instances: Instances) -> np.ndarray | None:
    """The first number that nodes have beside their index, [G, N]."""
    for probe in instances.algorithm.inputs:
        if probe.location is Location.NODE and probe.type is Type.SCALAR and probe.name != "pos":
            return instances.inputs[probe.name].astype(np.float64)
    return None


def _most_frequent(values: np.ndarray) -> int:
    """The smallest of the most frequent ones."""
    found, counts = np.unique(values, return_counts=True)
    return int(found[counts.argmax()])


def _one_hot(places: np.ndarray, size: int) -> np.ndarray:
    return (np.arange(size) == places[..., None]).astype(np.int8)
