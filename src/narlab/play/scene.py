"""A scene: one instance, what the algorithm does on it at every step, and what models answer after each of theirs."""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from narlab import algorithms
from narlab.algorithms.engine import Algorithm, Defect, Verdicts
from narlab.algorithms.engine.values import indices
from narlab.common.errors import UsageError
from narlab.common.node_layout import node_positions
from narlab.data import Dataset
from narlab.evaluation.metrics import correct
from narlab.evaluation.prediction import as_arrays, predict_each_step
from narlab.models import Network
from narlab.specs import Probe, Type

RIGHT, DIFFERENT, WRONG, UNCOUNTED = 0, 1, 2, -1
"""What became of an element: as the algorithm has it, another correct answer, wrong; or it counts for nothing."""
WORDS = ("right", "different", "wrong")
MOST_REASONS = 6
DIGITS = 6  # of the numbers that are only looked at
Arrays = Mapping[str, np.ndarray]


def make_scene(dataset: Dataset, models: Mapping[str, Network], *, laid_out: bool = True) -> dict[str, Any]:
    """The scene of a data set of one instance with hints, for the page; `laid_out` with places for a graph's nodes."""
    start = time.perf_counter()
    algorithm = algorithms.get(dataset.algorithm)
    return {
        "algorithm": dataset.algorithm,
        "inputs": {probe.name: dataset.inputs[probe.name].tolist() for probe in algorithm.inputs},
        "places": _places(dataset) if laid_out and algorithm.has_graph else None,
        "rows": int(dataset.lengths[0]),
        "hints": _hints(algorithm, dataset),
        "outputs": {probe.name: _readable(probe, dataset.outputs[probe.name])[0] for probe in algorithm.outputs},
        "answers": [_answer(name, model, dataset) for name, model in models.items()],
        "seconds": round(time.perf_counter() - start, 4),
    }


def _places(dataset: Dataset) -> list[list[float]]:
    edges = (dataset.inputs["A"][0] != 0) & ~np.eye(dataset.description.n, dtype=bool)
    return node_positions(edges).round(4).tolist()


def _hints(algorithm: Algorithm, dataset: Dataset) -> dict[str, list]:
    """The rows of each hint, None where a row is that before it."""
    length = int(dataset.lengths[0])
    found = {}
    for probe in algorithm.hints:
        rows = dataset.hints[probe.name][0, :length]
        stays = [t > 0 and np.array_equal(rows[t], rows[t - 1]) for t in range(length)]
        found[probe.name] = [None if same else row for same, row in zip(stays, _readable(probe, rows), strict=True)]
    return found


def _readable(probe: Probe, values: np.ndarray) -> list:
    """Values [T, ...] as lists of indices and rounded numbers; None where a number is not finite."""
    values = indices(probe, values)
    if values.dtype.kind != "f" or probe.type is not Type.SCALAR:
        return values.astype(int).tolist()
    shown = values.round(DIGITS).astype(object)
    shown[~np.isfinite(values)] = None
    return shown.tolist()


def _answer(name: str, model: Network, dataset: Dataset) -> dict[str, Any]:
    """What a model answers after each step, and what is to say about it."""
    algorithm, start = model.algorithm, time.perf_counter()
    by_step = [as_arrays(algorithm, values) for values in predict_each_step(model, dataset)]
    seconds = time.perf_counter() - start
    answers = {probe.name: np.concatenate([step[probe.name] for step in by_step]) for probe in algorithm.outputs}
    judged = _Judged(algorithm, dataset, answers)
    return {
        "model": name,
        "about": f"{model.settings.processor}, depth {model.depth}",
        "steps": [judged.step(t) for t in range(len(by_step))],
        "note": judged.note,
        "seconds": round(seconds, 4),
    }


class _Judged:
    """Answers [T, ...] to one instance, judged element by element."""

    def __init__(self, algorithm: Algorithm, dataset: Dataset, answers: Arrays) -> None:
        self.algorithm, self.answers, self.note = algorithm, answers, ""
        count = len(next(iter(answers.values())))
        self.inputs = {probe.name: np.repeat(dataset.inputs[probe.name], count, 0) for probe in algorithm.inputs}
        self.verdicts = self._verdicts()
        self.elements = {probe.name: self._elements(probe, dataset.outputs[probe.name]) for probe in algorithm.outputs}

    def _verdicts(self) -> Verdicts | None:
        try:
            return self.algorithm.verdicts(self.inputs, self.answers, threads=1)
        except UsageError as error:  # it does not say what is valid, or runs where its problem is not defined
            self.note = f"valid or not is not judged: {error}"
            return None

    def _elements(self, probe: Probe, truth: np.ndarray) -> np.ndarray:
        """What became of each element, [T, ...]."""
        right, counted = correct(probe, self.answers[probe.name], truth)
        valid = np.zeros(right.shape, bool)
        if self.verdicts is not None:
            judged = dict(zip((each.name for each in self.algorithm.outputs), self.verdicts.elements, strict=True))
            whole = self.verdicts.valid.reshape(-1, *[1] * (right.ndim - 1))
            valid = judged[probe.name].reshape(right.shape) | whole
        found = np.where(right, RIGHT, np.where(valid, DIFFERENT, WRONG))
        return np.where(np.broadcast_to(counted, found.shape), found, UNCOUNTED)

    def step(self, t: int) -> dict[str, Any]:
        counts = [sum(int((found[t] == kind).sum()) for found in self.elements.values()) for kind in range(len(WORDS))]
        defects = self._defects(t)
        return {
            "outputs": {probe.name: self._shown(probe, t) for probe in self.algorithm.outputs},
            "elements": {name: found[t].tolist() for name, found in self.elements.items()},
            "counts": counts,
            "verdict": WORDS[self._verdict(t, counts)],
            "reasons": [_reason(defect) for defect in defects[:MOST_REASONS]],
            "more": max(len(defects) - MOST_REASONS, 0),
        }

    def _shown(self, probe: Probe, t: int) -> Any:
        """An answer, -1 where it counts for nothing."""
        values = indices(probe, self.answers[probe.name][t : t + 1])[0].astype(int)
        return np.where(self.elements[probe.name][t] == UNCOUNTED, -1, values).tolist()

    def _verdict(self, t: int, counts: list[int]) -> int:
        if not counts[DIFFERENT] and not counts[WRONG]:
            return RIGHT
        return DIFFERENT if self.verdicts is not None and self.verdicts.valid[t] else WRONG

    def _defects(self, t: int) -> list[Defect]:
        """Why the answer after step `t` is not valid."""
        if self.verdicts is None or self.verdicts.valid[t]:
            return []
        one = slice(t, t + 1)
        inputs, answers = ({name: array[one] for name, array in stage.items()} for stage in (self.inputs, self.answers))
        return self.algorithm.defects(inputs, answers)[0]


def _reason(defect: Defect) -> dict[str, Any]:
    nodes, edges = [int(v) for v in defect.nodes], [[int(u), int(v)] for u, v in defect.edges]
    return {"text": defect.text, "nodes": nodes, "edges": edges}
