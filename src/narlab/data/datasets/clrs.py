"""CLRS: the benchmark's own arrays. 1000 training samples of 16 nodes, tests of 64 nodes.

Validation and test have 32 samples times the algorithm's multiplier. The two string matchers have the layout of the
distributed data set (1.0.0), 16 + 4 and 64 + 16 nodes, which the later sampler draws when asked for 20 and 80.
"""

from narlab import algorithms
from narlab.data.generation import Description

SPLITS = ("train", "val", "test")
ALGORITHMS = None
SEEDS = {"train": 1, "val": 2, "test": 3}
STRING_MATCHERS = ("kmp_matcher", "naive_string_matcher")


def describe(algorithm: str, split: str) -> Description:
    n = 64 if split == "test" else 16
    if algorithm in STRING_MATCHERS:
        n = 5 * n // 4
    count = 1000 if split == "train" else 32 * algorithms.get(algorithm).multiplier
    return Description("clrs", algorithm, split, n=n, count=count, seed=SEEDS[split], stream="official")
