"""The share of instances whose answer is a correct one, whichever ties it broke in its own way.

It looks at no label: inputs and the model's answers are all that it needs.
"""

import numpy as np

from narlab.evaluation.metrics import Arrays, Counts, Instances, Level, Metric, per_graph, share
from narlab.evaluation.metrics._validity import NEEDS, can_judge, judged


def counts(instances: Instances, predicted: Arrays) -> list[Counts]:
    valid = judged(instances, predicted).valid
    return [Counts(per_graph(valid, np.ones(valid.shape)), share)]


METRIC = Metric("valid", Level.GRAPH, counts, applies=can_judge, needs=NEEDS)
