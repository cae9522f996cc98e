"""Every array equals dm-clrs's, over many sizes and seeds: `make oracle`."""

import numpy as np
import pytest

from narlab import algorithms
from narlab.specs import Stage

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("ignore"),  # dm-clrs's own libraries warn a lot
]


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_probes_are_those_of_dm_clrs(name):
    clrs = pytest.importorskip("clrs")
    for stage in Stage:
        ours = [(probe.name, str(probe.location)) for probe in algorithms.get(name).probes if probe.stage is stage]
        theirs = [(key, location) for key, (when, location, _) in clrs.SPECS[name].items() if when == stage]
        assert ours == theirs
    for probe in algorithms.get(name).probes:
        declared = clrs.SPECS[name][probe.name][2]
        assert declared == ("should_be_permutation" if probe.permutation else str(probe.type))


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_random_samples_are_those_of_dm_clrs(name):
    clrs = pytest.importorskip("clrs")
    algorithm = algorithms.get(name)
    draws = np.random.default_rng(algorithms.CLRS_30.index(name))
    sizes = {algorithm.smallest, max(algorithm.smallest, 3), 5, 16, *draws.integers(6, 40, size=6).tolist()}
    for n in sorted(sizes):
        for seed in draws.integers(2**32, size=3).tolist():
            sampler, _ = clrs.build_sampler(name, num_samples=5, length=n, seed=seed)
            inputs = algorithm.sample(n, 5, seed=seed)
            done = algorithm.execute(inputs)
            where = f"{name}, n={n}, seed={seed}"
            np.testing.assert_array_equal(done.lengths, sampler._lengths, err_msg=where)
            for point in sampler._inputs:
                np.testing.assert_array_equal(inputs[point.name], point.data, err_msg=where, strict=True)
            for point in sampler._outputs:
                np.testing.assert_array_equal(done.outputs[point.name], point.data, err_msg=f"{where}, {point.name}")
            for point in sampler._hints:
                rows = np.moveaxis(point.data, 0, 1)
                np.testing.assert_array_equal(done.hints[point.name], rows, err_msg=f"{where}, {point.name}")
