"""L-CLRS-Len: the size shifts (16 to 32 nodes), the degree stays 4.

strongly_connected_components has 4 communities in every split, as the paper's code executed it.
"""

from narlab.data.datasets._controlled import GRAPH_TASKS, SPLITS, controlled
from narlab.data.generation import Description

ALGORITHMS = GRAPH_TASKS

__all__ = ["ALGORITHMS", "SPLITS", "describe"]


def describe(algorithm: str, split: str) -> Description:
    return controlled("l_clrs_len", algorithm, split, n=32 if split == "test" else 16, degree=4)
