"""L-CLRS-Deg: the degree shifts (4 to 8), the size stays 32.

strongly_connected_components has 8 communities of 4 nodes in training and validation, 4 of 8 in the test.
"""

from narlab.data.datasets._controlled import GRAPH_TASKS, SPLITS, controlled
from narlab.data.generation import Description

ALGORITHMS = GRAPH_TASKS

__all__ = ["ALGORITHMS", "SPLITS", "describe"]


def describe(algorithm: str, split: str) -> Description:
    test = split == "test"
    return controlled("l_clrs_deg", algorithm, split, n=32, degree=8 if test else 4, communities=4 if test else 8)
