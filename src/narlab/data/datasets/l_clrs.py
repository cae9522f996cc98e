"""L-CLRS: 100,000 training samples from the benchmark's distribution; validation and test are the benchmark's own."""

from dataclasses import replace

from narlab.data.datasets import clrs
from narlab.data.generation import Description

SPLITS = ("train", "val", "test")
ALGORITHMS = None


def describe(algorithm: str, split: str) -> Description:
    base = replace(clrs.describe(algorithm, split), dataset="l_clrs")
    return replace(base, count=100_000, stream="fast") if split == "train" else base
