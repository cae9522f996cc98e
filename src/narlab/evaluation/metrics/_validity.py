"""What metrics of validity share: where answers can be judged, and the verdicts on them."""

from narlab.algorithms.engine import Algorithm
from narlab.algorithms.engine.validity import Verdicts
from narlab.common.errors import UsageError
from narlab.data import Dataset
from narlab.evaluation.metrics import Arrays, Instances

NEEDS = "an algorithm that says which answers are valid, and inputs on which its problem is defined"
PART = 1024  # samples that are made at once to look at their inputs


def can_judge(algorithm: Algorithm, dataset: Dataset) -> bool:
    """Whether the algorithm says which answers are valid, and its problem is defined on all inputs of the data set.

    That of a spanning tree, for instance, is not on the directed graphs that a family from elsewhere may make.
    """
    if algorithm.validity is None:
        return False
    check = algorithm.validity.check
    try:
        for part in dataset.chunks(PART) if check is not None else ():
            assert check is not None
            check(part.inputs)
    except UsageError:
        return False
    return True


def judged(instances: Instances, predicted: Arrays) -> Verdicts:
    """The verdicts on predictions."""
    return instances.algorithm.verdicts(instances.inputs, predicted)
