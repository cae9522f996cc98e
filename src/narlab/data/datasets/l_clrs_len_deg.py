"""L-CLRS-Len-Deg: size and degree shift together (16 nodes of degree 4 to 32 nodes of degree 8).

strongly_connected_components has 4 communities in every split, so that their size grows.
"""

from narlab.data.datasets._controlled import GRAPH_TASKS, SPLITS, controlled
from narlab.data.generation import Description

ALGORITHMS = GRAPH_TASKS

__all__ = ["ALGORITHMS", "SPLITS", "describe"]


def describe(algorithm: str, split: str) -> Description:
    test = split == "test"
    return controlled("l_clrs_len_deg", algorithm, split, n=32 if test else 16, degree=8 if test else 4)
