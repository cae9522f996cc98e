"""Which answers to instances are valid, and why others are not, in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from narlab.algorithms.engine import Algorithm
from narlab.algorithms.engine.validity import Defect
from narlab.common.errors import UsageError
from narlab.data import Dataset
from narlab.evaluation.metrics import Arrays


@dataclass(frozen=True)
class Judgement:
    """Which answers are `valid`, [count], or None and for what `reason` they can't be judged."""

    algorithm: Algorithm
    inputs: Arrays
    answers: Arrays
    valid: np.ndarray | None
    reason: str = ""

    def defects(self, instance: int) -> list[Defect]:
        """Why the answer to one instance is not valid; nothing if it is."""
        inputs, answers = (
            {name: array[instance : instance + 1] for name, array in stage.items()}
            for stage in (self.inputs, self.answers)
        )
        return self.algorithm.defects(inputs, answers)[0]

    def lines(self, *, why: bool = False) -> Iterator[str]:
        """Which answers are valid, and with `why` a line for each defect of the others."""
        if self.valid is None:
            yield f"valid: not judged: {self.reason}"
            return
        right, count = np.flatnonzero(self.valid).tolist(), len(self.valid)
        which = f": {ranges(right)}" if 0 < len(right) < count else ""
        yield f"valid: {len(right)} of {count} instances{which}"
        for instance in np.flatnonzero(~self.valid).tolist() if why else ():
            for defect in self.defects(instance):
                yield f"instance {instance}: {defect.text}"


def judge(algorithm: Algorithm, dataset: Dataset, answers: Arrays) -> Judgement:
    """Judge `answers`, arrays [count, ...] by output name, to the instances of a data set.

    >>> from narlab import algorithms, data
    >>> paths = data.custom("bfs", n=4, count=3, graphs="path")
    >>> list(judge(algorithms.get("bfs"), paths, paths.outputs).lines())
    ['valid: 3 of 3 instances']
    """
    inputs = {probe.name: dataset.inputs[probe.name] for probe in algorithm.inputs}
    try:
        return Judgement(algorithm, inputs, answers, algorithm.valid(inputs, answers))
    except UsageError as error:  # the algorithm does not say what is valid, or runs where its problem is not defined
        return Judgement(algorithm, inputs, answers, None, str(error))


def ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers in few words.

    >>> ranges([0, 2, 3, 4, 7, 8])
    '0, 2-4, 7, 8'
    """
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    texts = [f"{group[0]}-{group[-1]}" if len(group) > 2 else ", ".join(map(str, group)) for group in groups]
    return ", ".join(texts)
