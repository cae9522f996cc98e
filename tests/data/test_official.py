"""The benchmark's splits, to the bit: dtype, shape and bytes of every array."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from narlab import algorithms, data

QUICK = ("bfs", "naive_string_matcher", "optimal_bst", "segments_intersect")
FEW = [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in algorithms.CLRS_30]
DIGESTS = json.loads((Path(__file__).parent / "official_digests.json").read_text())


def digest(array: np.ndarray) -> str:
    described = f"{array.dtype} {array.shape} ".encode()
    return hashlib.sha256(described + np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def digests(dataset: data.Dataset) -> dict[str, str]:
    found = {f"inputs/{name}": digest(array) for name, array in dataset.inputs.items()}
    found |= {f"outputs/{name}": digest(array) for name, array in dataset.outputs.items()}
    if dataset.has_hints:
        found |= {f"hints/{name}": digest(array) for name, array in dataset.hints.items()}
    return found | {"lengths": digest(dataset.lengths)}


@pytest.mark.parametrize("name", algorithms.CLRS_30)
@pytest.mark.parametrize("split", [pytest.param("train", marks=pytest.mark.slow), "val", "test"])
def test_clrs_is_the_benchmark(name, split):
    assert digests(data.load("clrs", name, split, hints=split == "val")) == DIGESTS[name][split]


@pytest.mark.parametrize("name", FEW)
def test_l_clrs_validates_and_tests_on_the_benchmark(name):
    for split in ("val", "test"):
        assert digests(data.load("l_clrs", name, split, hints=split == "val")) == DIGESTS[name][split]
